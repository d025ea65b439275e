// Thrown where something of a granted folder is needed that the page has not been asked for yet; worker.

/**
 * What is missing, and how to take it in. The import that met it asks the page and then starts again from the top, so
 * it is thrown only before anything has been changed.
 */
export class NotLoaded extends Error {
  /** The request of a `file` call. */
  readonly request: Uint8Array;
  /** Takes the page's answer in; gives an errno. */
  readonly accept: (answer: Uint8Array) => number;

  constructor(request: Uint8Array, accept: (answer: Uint8Array) => number) {
    super();
    this.request = request;
    this.accept = accept;
  }
}
