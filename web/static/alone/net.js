// A net as anet/graph.py writes it: steps of ONNX over arrays {shape, data}, row by row.

/** @typedef {{shape: number[], data: Float32Array}} Tensor */
/** @typedef {(inputs: Record<string, Tensor>) => Record<string, Tensor>} Net */
/**
 * Graphs have constants of integers (name, shape, data) and of floats (name, shape, first index in the weights).
 * @typedef {{steps: [operator: string, inputs: string[], output: string, options: any][],
 *   integers: [string, number[], number[]][], floats: [string, number[], number][]}} Graph
 */

const bytesOf = (/** @type {string} */ base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

/** Return the data of the page, with the weights as numbers. @param {string} base64 JSON that gzip compressed. */
export async function unpack(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).json();
  return { ...data, weights: new Float32Array(bytesOf(data.weights).buffer) };
}

/** Return a function for each graph. @param {Graph[]} graphs @param {Float32Array} weights */
export function loadNets(graphs, weights) {
  return graphs.map(({ steps, integers, floats }) => {
    const constants = /** @type {Record<string, Tensor>} */ ({});
    for (const [name, shape, data] of integers) constants[name] = { shape, data: Float32Array.from(data) };
    for (const [name, shape, begin] of floats) {
      constants[name] = { shape, data: weights.subarray(begin, begin + count(shape)) };
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
  Flatten: (_, x) => ({ shape: [x.shape[0], count(x.shape.slice(1))], data: x.data }), // from the second axis on
  ReduceMean: ({ axes }, x) => reduce(axes, x, (own) => own.reduce((a, b) => a + b) / own.length),
  ReduceMax: ({ axes }, x) => reduce(axes, x, (own) => Math.max(...own)),

  Reshape(_, x, { data: wanted }) {
    const shape = [...wanted].map((length, axis) => length || x.shape[axis]);
    const open = shape.indexOf(-1);
    if (open >= 0) shape[open] = x.data.length / -count(shape);
    return { shape, data: x.data };
  },

  Gather({ axis }, x, places) {
    const inner = count(x.shape.slice(axis + 1)), step = x.shape[axis] * inner, data = [];
    for (let begin = 0; begin < x.data.length; begin += step) {
      for (const place of places.data) {
        for (let i = 0; i < inner; i++) data.push(x.data[begin + place * inner + i]);
      }
    }
    const shape = [...x.shape.slice(0, axis), ...places.shape, ...x.shape.slice(axis + 1)];
    return { shape, data: Float32Array.from(data) };
  },

  GatherElements(_, x, places) { // along the second of two axes
    const from = x.shape[1], to = places.shape[1];
    const data = places.data.map((place, i) => x.data[Math.floor(i / to) * from + place]);
    return { shape: places.shape, data };
  },

  Concat(_, ...parts) { // along the second of two axes
    const [rows] = parts[0].shape, data = [];
    for (let row = 0; row < rows; row++) {
      for (const { shape: [, width], data: own } of parts) data.push(...own.subarray(row * width, (row + 1) * width));
    }
    return { shape: [rows, data.length / rows], data: Float32Array.from(data) };
  },

  Transpose({ perm }, x) {
    const axes = x.shape.map((_, i) => perm[i]), shape = axes.map((axis) => x.shape[axis]);
    return { shape, data: strided(x.data, shape, axes.map((axis) => count(x.shape.slice(axis + 1)))) };
  },

  Softmax(_, x) {
    const width = x.shape[x.shape.length - 1], data = new Float32Array(x.data.length);
    for (let begin = 0; begin < data.length; begin += width) {
      const row = x.data.subarray(begin, begin + width), most = Math.max(...row);
      const shares = Array.from(row, (a) => Math.exp(a - most)), total = shares.reduce((a, b) => a + b);
      data.set(shares.map((share) => share / total), begin);
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

  // In tiles of 4x4 results, with a quarter of the multiplications: F(4x4, 3x3) in Lavin & Gray 2016,
  // "Fast algorithms for convolutional neural networks".
  Conv({ pads: [pad], kernel_shape: [, size] }, x, weights, biases) {
    const [boards, inputs, high, wide] = x.shape, outputs = weights.shape[0];
    const padding = pad + (3 - size) / 2; // a weight of 1x1 is one of 3x3 with zeros around it
    const rows = high + 2 * padding - 2, columns = wide + 2 * padding - 2;
    const down = Math.ceil(rows / 4), across = Math.ceil(columns / 4), tiles = down * across;
    const step = 4 * across + 2, plane = new Float64Array(step * (4 * down + 2)), tile = new Float64Array(TILE);
    const corners = Array.from({ length: tiles }, (_, t) => 4 * (Math.floor(t / across) * step + (t % across)));
    const width = boards * tiles + ((boards * tiles) % 2), seen = new Float64Array(TILE * inputs * width);
    for (let n = 0; n < boards * inputs; n++) {
      for (let row = 0; row < high; row++) {
        const begin = (n * high + row) * wide;
        plane.set(x.data.subarray(begin, begin + wide), (row + padding) * step + padding);
      }
      const to = (n % inputs) * width + Math.floor(n / inputs) * tiles;
      corners.forEach((corner, t) => {
        for (let k = 0; k < 6; k++) spread(plane, corner + k * step, 1, tile, 6 * k, 1);
        for (let k = 0; k < 6; k++) spread(tile, k, 6, seen, to + t + k * inputs * width, 6 * inputs * width);
      });
    }
    const sums = products(spreadWeights(weights), seen, inputs, width), apart = sums.length / TILE;
    const data = new Float32Array(boards * outputs * rows * columns);
    for (let n = 0, to = 0; n < boards * outputs; n++) {
      const from = (n % outputs) * width + Math.floor(n / outputs) * tiles;
      corners.forEach((corner, t) => {
        for (let k = 0; k < 6; k++) gather(sums, from + t + 6 * k * apart, apart, tile, 6 * k, 1);
        for (let k = 0; k < 4; k++) gather(tile, k, 6, plane, corner + k, step);
      });
      const bias = biases ? biases.data[n % outputs] : 0;
      for (let row = 0; row < rows; row++) {
        for (let k = row * step; k < row * step + columns; k++) data[to++] = plane[k] + bias;
      }
    }
    return { shape: [boards, outputs, rows, columns], data };
  },
};

const TILE = 36; // numbers of a tile that is transformed for a convolution
/**
 * Transforms read numbers from an index on, a step apart, and write others a stride apart.
 * @typedef {(
 *   from: ArrayLike<number>, at: number, step: number, to: Float64Array, out: number, stride: number
 * ) => void} Transform
 */

/** Transform six numbers of a tile. @type {Transform} */
function spread(from, at, step, to, out, stride) {
  const a = from[at], b = from[at += step], c = from[at += step], d = from[at += step], e = from[at += step];
  const p = e - 4 * c, q = d - 4 * b, r = e - c, s = 2 * (d - b);
  to[out] = 4 * (a - c) + r;
  to[out += stride] = p + q;
  to[out += stride] = p - q;
  to[out += stride] = r + s;
  to[out += stride] = r - s;
  to[out + stride] = 4 * b - 5 * d + from[at + step];
}

/** Transform three weights into six. @type {Transform} */
function spreadThree(from, at, step, to, out, stride) {
  const a = from[at], b = from[at + step], c = from[at + 2 * step];
  [a / 4, (a + b + c) / -6, (a - b + c) / -6, (a + 2 * b + 4 * c) / 24, (a - 2 * b + 4 * c) / 24, c]
    .forEach((sum, k) => { to[out + k * stride] = sum; });
}

/** Transform six sums into four. @type {Transform} */
function gather(from, at, step, to, out, stride) {
  const a = from[at], b = from[at += step], c = from[at += step], d = from[at += step], e = from[at += step];
  to[out] = a + b + c + d + e;
  to[out += stride] = b - c + 2 * (d - e);
  to[out += stride] = b + c + 4 * (d + e);
  to[out + stride] = b - c + 8 * (d - e) + from[at + step];
}

/** Transformed weights, by place and shape: boards of all sizes share them. @type {Map<string, Float64Array>} */
const prepared = new Map();

/** Return the weights of a convolution, transformed, in blocks of four outputs. @param {Tensor} weights */
function spreadWeights({ shape, data }) {
  const [outputs, inputs, size] = shape;
  const key = `${data.byteOffset}:${shape}`;
  const apart = 4 * Math.ceil(outputs / 4) * inputs;
  let made = prepared.get(key);
  if (!made) {
    prepared.set(key, made = new Float64Array(TILE * apart));
    const half = new Float64Array(18);
    for (let k = 0; k < outputs * inputs; k++) {
      const output = Math.floor(k / inputs), out = 4 * ((output >> 2) * inputs + (k % inputs)) + (output & 3);
      const own = size === 3 ? data.subarray(9 * k, 9 * k + 9) : [0, 0, 0, 0, data[k], 0, 0, 0, 0];
      for (let row = 0; row < 3; row++) spreadThree(own, 3 * row, 1, half, 6 * row, 1);
      for (let column = 0; column < 6; column++) spreadThree(half, column, 6, made, out + column * apart, 6 * apart);
    }
  }
  return made;
}

/**
 * Return the matrix product for each number of a tile, outputs by inputs times inputs by an even width.
 * @param {Float64Array} u From spreadWeights(). @param {Float64Array} v @param {number} inputs @param {number} width
 */
function products(u, v, inputs, width) {
  const outputs = u.length / inputs, rows = outputs / TILE, found = new Float64Array(outputs * width);
  for (let output = 0; output < outputs; output += 4) {
    const first = output * inputs, begin = Math.floor(output / rows) * inputs * width;
    for (let t = 0; t < width; t += 2) { // eight sums stay in registers
      let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
      for (let k = first, at = begin + t; k < first + 4 * inputs; k += 4, at += width) {
        const x = v[at], y = v[at + 1], p = u[k], q = u[k + 1], r = u[k + 2], s = u[k + 3];
        a += p * x; b += q * x; c += r * x; d += s * x;
        e += p * y; f += q * y; g += r * y; h += s * y;
      }
      let to = output * width + t;
      found[to] = a; found[to + 1] = e;
      found[to += width] = b; found[to + 1] = f;
      found[to += width] = c; found[to + 1] = g;
      found[to += width] = d; found[to + 1] = h;
    }
  }
  return found;
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
 * Reduce neighbouring axes to one number.
 * @param {number[]} axes
 * @param {Tensor} x
 * @param {(own: number[]) => number} f
 */
function reduce(axes, x, f) {
  const inner = count(x.shape.slice(axes[axes.length - 1] + 1)), middle = count(axes.map((axis) => x.shape[axis]));
  const data = Float32Array.from({ length: x.data.length / middle }, (_each, i) => {
    const begin = Math.floor(i / inner) * middle * inner + (i % inner);
    return f(Array.from({ length: middle }, (_, k) => x.data[begin + k * inner]));
  });
  return { shape: x.shape.filter((_, axis) => !axes.includes(axis)), data };
}
