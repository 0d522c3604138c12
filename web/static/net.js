// A net as anet/graph.py writes it: steps of ONNX over arrays {shape, data}, row by row.

/** @typedef {{shape: number[], data: Float32Array}} Tensor */
/** @typedef {(inputs: Record<string, Tensor>) => Record<string, Tensor>} Net */
/**
 * Graphs have constants of integers (name, shape, data) and of floats (name, shape, first index in the weights).
 * @typedef {{steps: [operator: string, inputs: string[], output: string, options: any][],
 *   integers: [string, number[], number[]][], floats: [string, number[], number][]}} Graph
 */

/** Return a function for each graph. @param {Graph[]} graphs @param {string} weights In base64. */
export function loadNets(graphs, weights) {
  const all = new Float32Array(Uint8Array.from(atob(weights), (c) => c.charCodeAt(0)).buffer);
  return graphs.map(({ steps, integers, floats }) => {
    const constants = /** @type {Record<string, Tensor>} */ ({});
    for (const [name, shape, data] of integers) constants[name] = { shape, data: Float32Array.from(data) };
    for (const [name, shape, begin] of floats) {
      constants[name] = { shape, data: all.subarray(begin, begin + count(shape)) };
    }
    return /** @type {Net} */ ((inputs) => {
      const known = { ...constants, ...inputs };
      for (const [operator, given, output, options] of steps) {
        known[output] = OPERATORS[operator](options, ...given.map((name) => known[name]));
      }
      return known;
    });
  });
}

const count = (/** @type {number[]} */ shape) => shape.reduce((a, b) => a * b, 1);

/** @type {Record<string, (options: any, ...given: Tensor[]) => Tensor>} */
const OPERATORS = {
  Cast: (_, x) => x, // integers and truths are numbers here
  Equal: (_, x, y) => each((a, b) => Number(a === b), x, y),
  Add: (_, x, y) => each((a, b) => a + b, x, y),
  Mul: (_, x, y) => each((a, b) => a * b, x, y),
  Where: (_, x, y, z) => each((a, b, c) => (a ? b : c), x, y, z),
  Relu: (_, x) => each((a) => Math.max(a, 0), x),
  Sigmoid: (_, x) => each((a) => 1 / (1 + Math.exp(-a)), x),
  Tanh: (_, x) => each(Math.tanh, x),
  ReduceMean: ({ axes }, x) => reduce(axes, x, (sum, a) => sum + a, 0, (sum, n) => sum / n),
  ReduceMax: ({ axes }, x) => reduce(axes, x, Math.max, -Infinity, (most) => most),

  Reshape(_, x, { data: wanted }) {
    const shape = [...wanted].map((length, axis) => length || x.shape[axis]);
    const open = shape.indexOf(-1);
    if (open >= 0) shape[open] = x.data.length / -count(shape);
    return { shape, data: x.data };
  },

  Gather({ axis }, x, places) {
    const inner = count(x.shape.slice(axis + 1)), step = x.shape[axis] * inner;
    const data = [];
    for (let begin = 0; begin < x.data.length; begin += step) {
      for (const place of places.data) {
        for (let i = 0; i < inner; i++) data.push(x.data[begin + place * inner + i]);
      }
    }
    const shape = [...x.shape.slice(0, axis), ...places.shape, ...x.shape.slice(axis + 1)];
    return { shape, data: Float32Array.from(data) };
  },

  GatherElements(_, x, places) { // along the second of two axes
    const [from, to] = [x.shape[1], places.shape[1]];
    const data = places.data.map((place, i) => x.data[Math.floor(i / to) * from + place]);
    return { shape: places.shape, data };
  },

  Concat(_, ...parts) { // along the second of two axes
    const rows = parts[0].shape[0], widths = parts.map((part) => part.shape[1]);
    const width = widths.reduce((a, b) => a + b), data = new Float32Array(rows * width);
    for (let row = 0, at = 0; row < rows; row++) {
      parts.forEach((part, i) => {
        data.set(part.data.subarray(row * widths[i], (row + 1) * widths[i]), at);
        at += widths[i];
      });
    }
    return { shape: [rows, width], data };
  },

  Transpose({ perm }, x) {
    const axes = x.shape.map((_, i) => perm[i]), shape = axes.map((axis) => x.shape[axis]);
    return { shape, data: strided(x.data, shape, axes.map((axis) => count(x.shape.slice(axis + 1)))) };
  },

  Softmax(_, x) {
    const width = x.shape[x.shape.length - 1], data = new Float32Array(x.data.length);
    for (let begin = 0; begin < data.length; begin += width) {
      const row = x.data.subarray(begin, begin + width), most = Math.max(...row);
      const shares = Array.from(row, (a) => Math.exp(a - most));
      const total = shares.reduce((a, b) => a + b);
      shares.forEach((share, i) => { data[begin + i] = share / total; });
    }
    return { shape: x.shape, data };
  },

  MatMul(_, x, y) {
    const [length, width] = y.shape, rows = x.data.length / length;
    const data = new Float32Array(rows * width), sums = new Float64Array(width);
    for (let row = 0; row < rows; row++) {
      sums.fill(0);
      for (let i = 0; i < length; i++) {
        const a = x.data[row * length + i], begin = i * width;
        if (a) for (let j = 0; j < width; j++) sums[j] += a * y.data[begin + j];
      }
      data.set(sums, row * width);
    }
    return { shape: [...x.shape.slice(0, -1), width], data };
  },

  Conv({ pads: [padding], kernel_shape: [, size] }, x, weights, biases) {
    const [boards, inputs, high, wide] = x.shape, outputs = weights.shape[0];
    // With the padding in memory, the sums of a plane are one long loop, a little of it in vain.
    const step = wide + 2 * padding, plane = step * (high + 2 * padding), spare = 2 * step + 2;
    const rows = high + 2 * padding - size + 1, columns = step - size + 1;
    const padded = new Float32Array(inputs * plane + spare), sums = new Float64Array(rows * step);
    const data = new Float32Array(boards * outputs * rows * columns), w = weights.data;
    const add = size === 3 ? add3x3 : addPlain;
    for (let board = 0, to = 0; board < boards; board++) {
      for (let i = 0; i < inputs * high; i++) {
        const begin = (board * inputs * high + i) * wide;
        const row = Math.floor(i / high) * plane + ((i % high) + padding) * step + padding;
        padded.set(x.data.subarray(begin, begin + wide), row);
      }
      for (let output = 0; output < outputs; output++) {
        sums.fill(biases ? biases.data[output] : 0);
        for (let input = 0; input < inputs; input++) {
          const first = (output * inputs + input) * size * size;
          add(sums, padded, input * plane, step, w, first, size);
        }
        for (let row = 0; row < rows; row++, to += columns) {
          data.set(sums.subarray(row * step, row * step + columns), to);
        }
      }
    }
    return { shape: [boards, outputs, rows, columns], data };
  },
};

/**
 * Add a plane at an index of x, whose rows are step apart, times the size x size weights from w[k] on.
 * @typedef {(sums: Float64Array, x: Float32Array, at: number, step: number, w: Float32Array, k: number,
 *   size: number) => void} AddPlane
 */

/** @type {AddPlane} */
function add3x3(sums, x, at, step, w, k) {
  const a = w[k], b = w[k + 1], c = w[k + 2], d = w[k + 3], e = w[k + 4], f = w[k + 5];
  const g = w[k + 6], h = w[k + 7], i = w[k + 8];
  for (let p = 0; p < sums.length; p++, at++) {
    const below = at + step, last = below + step;
    sums[p] += a * x[at] + b * x[at + 1] + c * x[at + 2]
      + d * x[below] + e * x[below + 1] + f * x[below + 2]
      + g * x[last] + h * x[last + 1] + i * x[last + 2];
  }
}

/** @type {AddPlane} */
function addPlain(sums, x, at, step, w, k, size) {
  for (let tap = 0; tap < size * size; tap++) {
    const from = at + Math.floor(tap / size) * step + (tap % size);
    for (let p = 0; p < sums.length; p++) sums[p] += w[k + tap] * x[from + p];
  }
}

/** Apply a function as NumPy does, with broadcasting. @param {(...x: number[]) => number} f @param {Tensor[]} given */
function each(f, ...given) {
  const axes = Math.max(...given.map(({ shape }) => shape.length));
  const shapes = given.map(({ shape }) => [...Array(axes - shape.length).fill(1), ...shape]);
  const shape = shapes[0].map((_, axis) => Math.max(...shapes.map((own) => own[axis])));
  const [x, y, z] = given.map(({ data }, i) => {
    const steps = shapes[i].map((n, axis) => (n === 1 ? 0 : count(shapes[i].slice(axis + 1))));
    return data.length === count(shape) ? data : strided(data, shape, steps);
  });
  const data = new Float32Array(x.length);
  for (let i = 0; i < data.length; i++) data[i] = f(x[i], y && y[i], z && z[i]);
  return { shape, data };
}

/** Return data in the order of a shape; steps are those of its axes in the data. @param {Float32Array} data */
function strided(data, /** @type {number[]} */ shape, /** @type {number[]} */ steps) {
  const found = new Float32Array(count(shape));
  for (let i = 0; i < found.length; i++) {
    let rest = i, at = 0;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      at += (rest % shape[axis]) * steps[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    found[i] = data[at];
  }
  return found;
}

/**
 * Reduce neighbouring axes to one number each: f from start on, then finish(result, count).
 * @param {number[]} axes @param {Tensor} x @param {(sum: number, next: number) => number} f
 * @param {number} start @param {(found: number, count: number) => number} finish
 */
function reduce(axes, x, f, start, finish) {
  const inner = count(x.shape.slice(axes[axes.length - 1] + 1));
  const middle = count(axes.map((axis) => x.shape[axis]));
  const data = new Float32Array(x.data.length / middle);
  for (let i = 0; i < data.length; i++) {
    let found = start;
    const begin = Math.floor(i / inner) * middle * inner + (i % inner);
    for (let k = 0; k < middle; k++) found = f(found, x.data[begin + k * inner]);
    data[i] = finish(found, middle);
  }
  return { shape: x.shape.filter((_, axis) => !axes.includes(axis)), data };
}
