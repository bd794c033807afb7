/** The response to an unexpected error, with the time to retry if the database cannot be used at the moment. */
import { CODE, EngineRefusal } from '../clickhouse/errors.ts'
import { type ErrorKind, errorKindOf } from '../postgres/error-kinds.ts'
import { NotTakenError } from '../states/index.ts'
import { type AppError, databaseUnavailable, serverError, tooManyRequests } from './errors.ts'

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

/** The analytics engine does not say when the interval of its quota ends. */
const QUOTA_RETRY_SECONDS = 60

/** The answer when the operator's quota of the analytics engine for an organization is used up. */
export const quotaAnswer = (error: unknown): AppError | undefined =>
  error instanceof EngineRefusal && error.code === CODE.quota_exceeded
    ? tooManyRequests(QUOTA_RETRY_SECONDS)
    : undefined

/** The answer to an error that the request did not cause. */
export const answerTo = (error: unknown): AppError =>
  error instanceof NotTakenError || OUTAGES.includes(errorKindOf(error))
    ? databaseUnavailable()
    : serverError()
