import { notFound } from '../platform/http/errors.ts'

/** What is undefined is answered with a 404. */
export function found<T>(given: T | undefined): T {
  if (given === undefined) throw notFound()
  return given
}
