// The sounds of the page: a stone on wood, and a clock that is short of time.

/** @type {AudioContext | undefined} */
let audio;

export const knock = () => sound(420, 120, 0.08);

/** The sound of a clock that is short of time. */
export const warn = () => sound(880, 660, 0.4);

/** Play a tone that falls and fades. @param {number} from In hertz. @param {number} to @param {number} seconds */
function sound(from, to, seconds) {
  audio ??= new AudioContext();
  const tone = audio.createOscillator(), volume = audio.createGain(), { currentTime } = audio;
  tone.frequency.setValueAtTime(from, currentTime);
  tone.frequency.exponentialRampToValueAtTime(to, currentTime + 0.75 * seconds);
  volume.gain.setValueAtTime(0.3, currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, currentTime + seconds);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(currentTime + seconds);
}
