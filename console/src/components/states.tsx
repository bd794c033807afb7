/** The states of a page without data: loading, failed, and empty. */
import type { ComponentChildren } from 'preact'
import { useLocation } from 'wouter'
import type { ApiError } from '../api/client.ts'
import type { Readable } from '../api/lists.ts'
import { Button } from './button.tsx'
import { Sketch, type SketchName, sketchOf } from './sketch.tsx'

/** @param what in lower case: "orders", "the order" */
export function Loading({ what }: { what: string }) {
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
      <p>{error.status === 404 ? MISSING : error.message}</p>
      {onRetry && error.status !== 404 && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

const MISSING = 'It may have been deleted, or you may not have access to it.'

function headline({ status }: ApiError): string {
  if (status === 403) return 'You do not have access to this'
  if (status === 404) return 'Not found'
  if (status === 429) return 'Too many requests'
  return status === 400 ? 'The request was rejected' : 'This could not be loaded'
}

type EmptyProps = {
  title: string
  /** By default, what the area mostly shows. */
  picture?: SketchName
  /** What to do next. */
  children?: ComponentChildren
}

export function Empty({ title, picture, children }: EmptyProps) {
  const [path] = useLocation()
  return (
    <div class="state state-empty">
      <Sketch name={picture ?? sketchOf(path)} />
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}

/** Above data that could not be refreshed. */
const Stale = ({ error, what }: { error: ApiError; what: string }) => (
  <p class="notice badge-warn stale" role="alert">
    This may be out of date: {what} could not be refreshed. {error.message}
  </p>
)

/** @property what in lower case: "orders", "the order" */
type LoadedProps<T> = { read: Readable<T>; what: string; children: (data: T) => ComponentChildren }

/** Renders loaded data; before that, the loading state or the error. */
export function Loaded<T>({ read, what, children }: LoadedProps<T>) {
  if (read.data !== undefined) {
    return (
      <>
        {read.error && <Stale error={read.error} what={what} />}
        {children(read.data)}
      </>
    )
  }
  if (read.error) return <Failed error={read.error} onRetry={() => void read.refetch()} />
  return <Loading what={what} />
}
