import { useState } from 'preact/hooks'
import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange } from '../../api/read.ts'
import { type Decision, DecisionList, decisionName } from '../../components/decisions.tsx'
import { Actions, Badge, Button, Form, Section, TextArea, wordsOf } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { OrderDecision } from './order-columns.tsx'

type Details = Answer<OrderDetails>

const NOTE_MAX_CHARS = 1000

export function Decisions({ details }: { details: Details }) {
  const { order, decisions, reviews } = details
  const open = reviews.find(({ decision }) => decision === null)
  const alerts = reviews.filter(({ subject }) => subject === 'alert')
  return (
    <Section title="Decision" actions={<OrderDecision {...order} />}>
      <div class="stack">
        {alerts.length > 0 && (
          <p class="row">
            Fraud alerts:
            {alerts.map(({ id, reason }) => (
              <Badge key={id} tone="bad">
                {wordsOf(reason)}
              </Badge>
            ))}
          </p>
        )}
        <DecisionList
          decisions={decisions}
          nameOf={({ decided_by, decided_by_email }) => decided_by_email ?? decided_by}
        />
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
        // Lets the service refuse if another person has decided in the meantime.
        expected: order.decision,
        ...(note !== '' && { note }),
      },
    }),
    {
      invalidates: ['/console/api/orders', '/console/api/profiles', '/console/api/reviews'],
      toast: (_, decision) => `Marked as ${decisionName(decision)}`,
      onSuccess: () => setNote(''),
      quiet: true,
    },
  )
  const button = (decision: Decision) => ({
    disabled: decide.isPending || order.decision === decision,
    busy: decide.isPending && decide.variables === decision,
    onClick: () => decide.mutate(decision),
  })
  return (
    <Form onSubmit={() => undefined} error={decide.error}>
      <TextArea
        label="Note"
        name="note"
        rows={2}
        maxlength={NOTE_MAX_CHARS}
        hint={
          order.decision === null
            ? 'A decision trains the scoring and closes the reviews of this order.'
            : 'A new decision replaces the previous one.'
        }
        value={note}
        onChange={setNote}
      />
      <Actions>
        <Button {...button('legitimate')}>Legitimate</Button>
        <Button kind="danger" {...button('confirmed_fraud')}>
          Confirm fraud
        </Button>
      </Actions>
    </Form>
  )
}
