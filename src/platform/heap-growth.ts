/**
 * Lets the heap of a service grow further before old objects are collected. V8 sets the limit from the
 * little that is alive between two requests, about 50 MB, so that each burst of batches collects the whole
 * heap several times: 15 to 40 ms in which no request is answered.
 */
import { setFlagsFromString } from 'node:v8'

/** The limit is this much above what was alive after the last collection, at most that of the process. */
const GROWTH_PERCENT = 200

/** Concerns the whole process, so only commands that serve requests call it, before they allocate. */
export function allowHeapToGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}
