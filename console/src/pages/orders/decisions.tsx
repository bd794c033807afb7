/** What was decided about an order, its alerts, and the decision itself. */
import { useState } from 'preact/hooks'
import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange } from '../../api/read.ts'
import { Actions, Badge, Button, Form, Section, TextArea, Time } from '../../components/index.ts'
import { wordsOf } from '../../components/order/signals.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { DecisionBadge } from './order-table.tsx'
import styles from './orders.module.css'

type Details = Answer<OrderDetails>
type Decision = 'confirmed_fraud' | 'legitimate'

const NOTE_MAX_CHARS = 1000

export function Decisions({ details }: { details: Details }) {
  const { order, decisions, reviews } = details
  const open = reviews.find(({ decision }) => decision === null)
  const alerts = reviews.filter(({ subject }) => subject === 'alert')
  return (
    <Section title="Decision" actions={<DecisionBadge {...order} />}>
      <div class="stack">
        {alerts.length > 0 && (
          <p class="row">
            Pattern alerts:
            {alerts.map(({ id, reason }) => (
              <Badge key={id} tone="bad">
                {wordsOf(reason)}
              </Badge>
            ))}
          </p>
        )}
        {decisions.length > 0 && (
          <ol class={styles['decisions']}>
            {decisions.map(({ decision, decided_at, decided_by, decided_by_email, note }) => (
              <li key={decided_at}>
                <DecisionBadge decision={decision} is_waiting={false} /> by{' '}
                {decided_by_email ?? decided_by}, <Time at={decided_at} />
                {note !== null && <p>{note}</p>}
              </li>
            ))}
          </ol>
        )}
        <Decide order={order} />
        {open && (
          <p>
            <PageLink to="/reviews" query={{ review: open.id }}>
              Open in the review queue
            </PageLink>
          </p>
        )}
      </div>
    </Section>
  )
}

function Decide({ order }: { order: Details['order'] }) {
  const { id: org_id } = useOrg()
  const [note, setNote] = useState('')
  const decide = useChange<Decision>(
    (decision) => ({
      method: 'POST',
      path: `/console/api/reviews/${order.id}/decision`,
      body: {
        org_id,
        mode: order.mode,
        decision,
        // What is seen here: somebody else may have decided meanwhile.
        expected: order.decision,
        ...(note !== '' && { note }),
      },
    }),
    {
      changes: ['/console/api/orders', '/console/api/profiles', '/console/api/reviews'],
      done: (_, decision) => `Decided: ${wordsOf(decision)}`,
      onDone: () => setNote(''),
      quiet: true,
    },
  )
  const isUnderWay = (decision: Decision) => decide.isPending && decide.variables === decision
  return (
    <Form onSubmit={() => undefined} error={decide.error}>
      <TextArea
        label="Note"
        name="note"
        rows={2}
        maxlength={NOTE_MAX_CHARS}
        hint={
          order.decision === null
            ? 'A decision teaches the rules and closes the reviews of this order.'
            : 'Another decision takes the one before back.'
        }
        value={note}
        onInput={setNote}
      />
      <Actions>
        <Button
          disabled={decide.isPending || order.decision === 'legitimate'}
          busy={isUnderWay('legitimate')}
          onClick={() => decide.mutate('legitimate')}
        >
          Legitimate
        </Button>
        <Button
          kind="danger"
          disabled={decide.isPending || order.decision === 'confirmed_fraud'}
          busy={isUnderWay('confirmed_fraud')}
          onClick={() => decide.mutate('confirmed_fraud')}
        >
          Confirm fraud
        </Button>
      </Actions>
    </Form>
  )
}
