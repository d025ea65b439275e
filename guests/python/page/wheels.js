// Pure-Python wheels for guests: the page's half of @sallyport/python; page and Node.

export { readWheel } from "./read-wheel.js";
export { plainName } from "./wheel-content.js";
export { WheelError } from "./wheel-error.js";
export { wheelFolder } from "./wheel-folder.js";
