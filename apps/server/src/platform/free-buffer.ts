/**
 * Frees what came in and nobody needs any more: the collector lets as much pile up as many pictures take. One that
 * shares its memory with others stays.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
