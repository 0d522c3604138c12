// The sound of a stone on wood.

/** @type {AudioContext | undefined} */
let audio;

export function knock() {
  audio ??= new AudioContext();
  const tone = audio.createOscillator(), volume = audio.createGain(), { currentTime } = audio;
  tone.frequency.setValueAtTime(420, currentTime);
  tone.frequency.exponentialRampToValueAtTime(120, currentTime + 0.06);
  volume.gain.setValueAtTime(0.3, currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, currentTime + 0.08);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(currentTime + 0.08);
}
