// Browsers start no worker in a page that is opened as a file; there, the page itself searches.
if (location.protocol === "file:") {
  const load = (name) => new Promise((done) => {
    const script = Object.assign(document.createElement("script"), { src: `${base_url}/search/${name}`, onload: done });
    document.head.append(script);
  });

  const build = async () => {
    await Promise.all([load("lunr.js"), load("search_index.js")]);
    return lunr(function () {
      this.ref("location");
      for (const field of ["title", "text"]) this.field(field);
      for (const each of searchIndex.docs) this.add(each);
    });
  };

  // What search/main.js, which is loaded next, asks its worker.
  window.Worker = class {
    async postMessage({ query }) {
      if (query) {
        this.index ??= build();
        const found = (await this.index).search(query).map(({ ref }) => searchIndex.docs.find((each) => each.location === ref));
        this.onmessage({ data: { results: found.map((each) => ({ ...each, summary: each.text.slice(0, 200) })) } });
      } else {
        await new Promise((done) => addEventListener("DOMContentLoaded", done)); // the field follows the scripts
        this.onmessage({ data: { config: { min_search_length: 3 } } });
        this.onmessage({ data: { allowSearch: true } });
      }
    }
  };
}
