import type { DeliveryStatus } from '../../../../src/modules/webhooks/history/schema.ts'
import { Badge, Time, type Tone } from '../../components/index.ts'
import type { Health } from './api.ts'

const TONES: Record<DeliveryStatus, Tone> = {
  pending: 'info',
  succeeded: 'good',
  failed: 'warn',
  exhausted: 'bad',
}

export const STATUS_MEANINGS: Record<DeliveryStatus, string> = {
  pending: 'Waiting for the first attempt or a requested retry.',
  succeeded: 'Delivered: the receiver responded with a 2xx status in time.',
  failed: 'The last attempt failed. Another one is scheduled.',
  exhausted: 'All attempts failed. A retry or replay starts over.',
}

export const StatusBadge = ({ status }: { status: DeliveryStatus }) => (
  <span title={STATUS_MEANINGS[status]}>
    <Badge tone={TONES[status]}>{status}</Badge>
  </span>
)

export function EndpointState({ endpoint }: { endpoint: Health }) {
  const { status, pause_reason, failing_since } = endpoint
  if (status === 'paused') {
    const reasons = { requested: 'paused', gone: 'paused: 410 Gone', failing: 'paused: failing' }
    return (
      <Badge tone={pause_reason === 'requested' ? 'neutral' : 'bad'}>
        {reasons[pause_reason ?? 'requested']}
      </Badge>
    )
  }
  return failing_since === null ? (
    <Badge tone="good">active</Badge>
  ) : (
    <Badge tone="warn">failing</Badge>
  )
}

export function EndpointSince({ endpoint }: { endpoint: Health }) {
  const { status, paused_at, failing_since } = endpoint
  if (status !== 'paused' && failing_since === null) return null
  return (
    <>
      since <Time at={status === 'paused' ? paused_at : failing_since} as="age" />
    </>
  )
}
