/** What is shown instead of data: it is coming, it failed, there is none. */
import type { ComponentChildren } from 'preact'
import type { ApiError } from '../api/client.ts'
import { Button } from './button.tsx'

/** @param for what is waited for, in lower case: "orders" */
export function Waiting({ for: what }: { for: string }) {
  return (
    <div class="state" role="status">
      <span class="spinner" aria-hidden="true" />
      <span>Loading {what}…</span>
    </div>
  )
}

export function Failed({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  return (
    <div class="state state-failed" role="alert">
      <p>
        <strong>{headline(error)}</strong>
      </p>
      <p>{error.message}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

function headline({ status }: ApiError): string {
  if (status === 403) return 'You may not see this'
  if (status === 404) return 'This does not exist (any more)'
  if (status === 429) return 'Too many requests'
  return status === 400 ? 'The service did not accept this' : 'This could not be loaded'
}

/** @param children what to do next */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state state-empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}

/** Above what was read before, when it could not be read again. */
const Stale = ({ error, what }: { error: ApiError; what: string }) => (
  <p class="notice badge-warn stale" role="alert">
    As it was before: {what} could not be read again. {error.message}
  </p>
)

type Readable<T> = {
  data: T | undefined
  error: ApiError | null
  isPending: boolean
  refetch: () => unknown
}

/** Draws what was read, once it is there; until then, or instead, says how it stands. */
export function Shown<T>({
  read,
  what,
  children,
}: {
  read: Readable<T>
  /** In lower case: "orders". */
  what: string
  children: (data: T) => ComponentChildren
}) {
  if (read.data !== undefined) {
    return (
      <>
        {read.error && <Stale error={read.error} what={what} />}
        {children(read.data)}
      </>
    )
  }
  if (read.error) return <Failed error={read.error} onRetry={() => void read.refetch()} />
  return <Waiting for={what} />
}
