/** Queues the deliveries of a time range again, batch by batch. */

import { useRef, useState } from 'preact/hooks'
import type { Replayed } from '../../../../src/modules/webhooks/history/schema.ts'
import { ApiError } from '../../api/client.ts'
import {
  Actions,
  Button,
  CheckField,
  countText,
  Form,
  Notice,
  numberText,
  Progress,
  Section,
  TextField,
  useFields,
} from '../../components/index.ts'
import { readLocal } from '../../components/zone.ts'
import { useSession } from '../../session/context.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CONSOLE, type Health, useRates } from './api.ts'
import { endpointPage } from './endpoint-page.tsx'
import styles from './webhooks.module.css'

const REPLAYED = ['failed', 'exhausted', 'succeeded'] as const
type Status = (typeof REPLAYED)[number]

const HINTS: Record<Status, string> = {
  failed: 'The last attempt failed. Another attempt is already scheduled.',
  exhausted: 'All attempts failed. Only a retry or replay sends them again.',
  succeeded: 'Delivered. Receivers that store delivery IDs can ignore duplicates.',
}

/** `stopped`: by the user; deliveries queued until then stay queued. */
type Run = { queued: number; state: 'running' | 'done' | 'stopped' }

export default endpointPage('Replay', Replay)

function Replay({ endpoint }: { endpoint: Health }) {
  const [statuses, setStatuses] = useState<readonly Status[]>(['failed', 'exhausted'])
  const { values, field } = useFields({ from: '', until: '' })
  const { run, error, start, stop } = useReplay(endpoint, { statuses, ...values })
  const isRunning = run?.state === 'running'
  return (
    <Section title="Replay by range" class={styles['narrow'] ?? ''}>
      <Form onSubmit={() => void start()} error={error}>
        <p>
          Sends the deliveries of a time range again, oldest first, with the same delivery IDs and a
          full retry schedule.
        </p>
        <fieldset class={styles['events']}>
          <legend class="field-label">Deliveries</legend>
          <div class="stack">
            {REPLAYED.map((status) => (
              <CheckField
                key={status}
                label={status}
                hint={HINTS[status]}
                checked={statuses.includes(status)}
                onChange={(isSelected) =>
                  setStatuses(
                    REPLAYED.filter((each) =>
                      each === status ? isSelected : statuses.includes(each),
                    ),
                  )
                }
              />
            ))}
          </div>
        </fieldset>
        <TextField
          label="Created from"
          type="datetime-local"
          {...field('from')}
          hint="In your time zone. Leave empty to start with the oldest stored delivery."
        />
        <TextField
          label="Created until"
          type="datetime-local"
          {...field('until')}
          hint="Leave empty for now."
        />
        <Actions>
          <Button type="submit" kind="primary" busy={isRunning} disabled={statuses.length === 0}>
            Replay
          </Button>
          {isRunning && <Button onClick={stop}>Stop</Button>}
        </Actions>
      </Form>
      {run && (
        <div class={styles['after']}>
          <Outcome run={run} endpoint={endpoint} />
        </div>
      )}
    </Section>
  )
}

function useReplay(
  endpoint: Health,
  { statuses, from, until }: { statuses: readonly Status[]; from: string; until: string },
) {
  const { id: org_id } = useOrg()
  const session = useSession()
  const [run, setRun] = useState<Run>()
  const [error, setError] = useState<ApiError>()
  const isStopped = useRef(false)

  const start = async () => {
    isStopped.current = false
    setError(undefined)
    let queued = 0
    let after: string | undefined
    setRun({ queued, state: 'running' })
    // Deliveries created while the replay runs are not part of it.
    const end = timeOf(until) ?? new Date().toISOString()
    const body = { org_id, statuses, from: timeOf(from), until: end }
    try {
      for (;;) {
        const path = `${CONSOLE}/${endpoint.id}/replay`
        const call = { method: 'POST' as const, path, body: { ...body, after } }
        const { replayed, is_more, last_id } = await session.call<Replayed>(call)
        queued += replayed
        if (!is_more || last_id === null) return setRun({ queued, state: 'done' })
        if (isStopped.current) return setRun({ queued, state: 'stopped' })
        after = last_id
        setRun({ queued, state: 'running' })
      }
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setError(failure)
      setRun(queued > 0 ? { queued, state: 'stopped' } : undefined)
    }
  }
  return {
    run,
    error,
    start,
    stop: () => {
      isStopped.current = true
    },
  }
}

const COUNT_REFRESH_MS = 2000

function Outcome({ run: { queued, state }, endpoint }: { run: Run; endpoint: Health }) {
  const rates = useRates(24 * 90, COUNT_REFRESH_MS)
  const pending = rates.data?.find(({ endpoint_id }) => endpoint_id === endpoint.id)?.pending ?? 0
  const number = numberText(queued)
  if (state === 'running') return <Progress label={`${number} queued so far…`} />
  if (queued === 0) {
    return (
      <Notice>
        <p role="status">No matching deliveries. Nothing was queued.</p>
      </Notice>
    )
  }
  return (
    <Notice tone={state === 'done' ? 'good' : 'warn'}>
      <p role="status">
        {countText(queued, 'deliveries')} queued
        {state === 'stopped' && ' before the replay was stopped'}.{' '}
        {endpoint.status === 'paused'
          ? 'They are sent when you resume the endpoint.'
          : pending > 0
            ? `${numberText(pending)} of the newest 500 deliveries are pending.`
            : 'None of the newest 500 deliveries is pending.'}
      </p>
      <p>
        <PageLink to={`/webhooks/${endpoint.id}/deliveries`}>View deliveries</PageLink>
      </p>
    </Notice>
  )
}

/** @param local in the viewer's time zone @returns undefined for an invalid time */
function timeOf(local: string): string | undefined {
  const time = readLocal(local)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
