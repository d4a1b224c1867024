/**
 * Frees a received chunk that is no longer needed: the garbage collector would let as much pile up as many pictures
 * take. A buffer that shares its memory with others stays.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
