/** The response to an unexpected error, with the time to retry if the database cannot be used at the moment. */
import { type ErrorKind, errorKindOf } from '../postgres/error-kinds.ts'
import { NotTakenError } from '../states/index.ts'
import { type AppError, databaseUnavailable, serverError } from './errors.ts'

/** Kinds that end without a change of the request or the program. */
const OUTAGES: readonly (ErrorKind | undefined)[] = [
  'connection',
  'pool_timeout',
  'too_many_connections',
  'disk_full',
  'read_only',
  'io',
  'resources',
]

/** The answer to an error that the request did not cause. */
export const answerTo = (error: unknown): AppError =>
  error instanceof NotTakenError || OUTAGES.includes(errorKindOf(error))
    ? databaseUnavailable()
    : serverError()
