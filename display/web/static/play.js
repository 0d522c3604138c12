// Play: click a cell against any agent.

import { beginsAMove, createBoard, emptyHex, moveOfClicks } from "./board.js";
import { Game } from "./game.js";
import { element } from "./page.js";

export function mount(root, page) {
  const place = element("div", { class: "board-place" });
  root.append(place);
  const board = createBoard(place, onCell);
  let game = new Game(), view = emptyHex(5), clicks = [];

  function draw() {
    board.draw(view, { selected: clicks }, { playable: !view.winner });
  }

  async function onCell(cell) {
    const move = moveOfClicks(view, [...clicks, cell]);
    clicks = !move && beginsAMove(view, cell) ? [cell] : [];
    if (!move) return draw();
    game.play(move.action);
    view = await page.ask("position", { position: game.position() });
    draw();
    if (view.winner) return;
    const answer = await page.ask("move", { position: game.position(), agent: "random" });
    game.play(answer.action);
    view = await page.ask("position", { position: game.position() });
    draw();
  }

  draw();
  return { show: draw };
}
