// A message each second. Browsers slow the timers of a page in the background, those of its workers they do not.
setInterval(() => postMessage(0), 1000);
