import { unavailable } from '../http/errors.ts'
import { isTransient } from './errors.ts'

/**
 * Turns an unavailable engine into the documented error of readings (OP-75). Ingestion goes on in
 * the meantime.
 * @param what the subject of the error message, capitalized
 * @throws AppError 500 if the reading may succeed later
 */
export async function reachable<T>(what: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw isTransient(error) ? unavailable(what) : error
  }
}
