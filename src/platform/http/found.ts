import { notFound } from './errors.ts'

/** @throws AppError 404 when the value is undefined */
export function found<T>(value: T | undefined): T {
  if (value === undefined) throw notFound()
  return value
}
