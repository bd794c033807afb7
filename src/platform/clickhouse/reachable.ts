import { unavailable } from '../http/errors.ts'
import { isForNow } from './errors.ts'

/**
 * A reading of the engine, which may be away while what it would show is still taken in: the answer
 * says which of the two it is.
 * @param what cannot be read, at the beginning of a sentence
 * @throws AppError 500 saying so, when it may be otherwise in a moment
 */
export async function reachable<T>(what: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw isForNow(error) ? unavailable(what) : error
  }
}
