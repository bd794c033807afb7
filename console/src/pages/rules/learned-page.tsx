/** The result of learning from decisions: weights next to the shipped ones, a trial, and a calibration. */
import { useState } from 'preact/hooks'
import type { RulesLearning } from '../../../../src/modules/orders/learning/schema.ts'
import type { RulesShown } from '../../../../src/modules/orders/rules/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Button,
  countText,
  Facts,
  Loaded,
  percentText,
  Section,
  Table,
  Time,
} from '../../components/index.ts'
import { signalName } from '../../components/order/signals.ts'
import { useOrg, useScope } from '../../shell/organization.ts'
import { AdminsOnly, ApplyDialog } from './apply.tsx'
import { RulesPage } from './rules-page.tsx'
import { RULES_PATH } from './use-rules.ts'

const LEARNED_PATH = `${RULES_PATH}/learned`

export default function LearnedPage() {
  return <RulesPage>{(rules) => <Learned rules={rules} />}</RulesPage>
}

function Learned({ rules }: { rules: RulesShown }) {
  const read = useRead<RulesLearning>(LEARNED_PATH, useScope())
  return (
    <Loaded read={read} what="what was learned">
      {(learning) => (
        <>
          <Summary learning={learning} />
          {learning.weights.length > 0 && <Weights rules={rules} learning={learning} />}
          {learning.calibration.length > 0 && <Calibration learning={learning} />}
        </>
      )}
    </Loaded>
  )
}

type Props = { learning: RulesLearning }

const OUTCOMES: Readonly<Record<RulesLearning['outcome'], string>> = {
  off: 'Learning is turned off in this installation.',
  none: 'Nothing was learned yet. Vigil learns from the decisions about orders once a day.',
  too_few: 'There are too few confirmed frauds to learn from.',
  contradiction: 'Orders with higher scores were fraud less often, so nothing was learned.',
  not_better: 'The learned weights are not better than the active ones.',
  better: 'The learned weights are better than the active ones.',
}

function Summary({ learning }: Props) {
  const { outcome, frauds, frauds_min, legitimate, learned_at, automatic } = learning
  const { is_admin } = useOrg()
  const scope = useScope()
  const change = useChange<void, RulesLearning>(
    () => ({
      method: 'POST',
      path: `${LEARNED_PATH}/automatic`,
      body: { ...scope, automatic: !automatic },
    }),
    { invalidates: [RULES_PATH], toast: () => 'Stored' },
  )
  return (
    <Section
      title="Learned from decisions"
      actions={
        <>
          <Button disabled={!is_admin || change.isPending} onClick={() => change.mutate()}>
            {automatic ? 'Stop applying automatically' : 'Apply automatically'}
          </Button>
          {!is_admin && <AdminsOnly />}
        </>
      }
    >
      <p>{OUTCOMES[outcome]}</p>
      <Facts
        facts={[
          ['Confirmed frauds', `${frauds} of at least ${frauds_min}`],
          ['Other orders', countText(legitimate, 'orders')],
          ['Learned', learned_at && <Time at={learned_at} />],
          [
            'Applied',
            automatic ? 'automatically, when the weights are better' : 'by an owner or admin',
          ],
        ]}
      />
    </Section>
  )
}

function Weights({ rules, learning }: Props & { rules: RulesShown }) {
  const { weights, trial, is_active } = learning
  const { is_admin } = useOrg()
  const [isApplying, setApplying] = useState(false)
  const learned = Object.fromEntries(weights.map((one) => [one.signal, one.learned]))
  return (
    <Section
      title="Weights"
      actions={
        <Button disabled={!is_admin || is_active} onClick={() => setApplying(true)}>
          {is_active ? 'Active' : 'Apply…'}
        </Button>
      }
    >
      <Table
        label="Weights of the signals"
        rows={weights}
        keyOf={({ signal }) => signal}
        columns={[
          { label: 'Signal', isWide: true, cell: ({ signal }) => signalName(signal) },
          { label: 'Shipped', isNumber: true, cell: ({ shipped }) => shipped },
          { label: 'Active', isNumber: true, cell: ({ active }) => active },
          { label: 'Learned', isNumber: true, cell: (one) => <strong>{one.learned}</strong> },
        ]}
      />
      {trial !== null && (
        <p>
          A trial learned from the earlier orders only. Of {countText(trial.frauds, 'frauds')} and
          about {countText(trial.legitimate, 'other orders')} since <Time at={trial.from} />, the
          active weights flag {trial.active.frauds} and {trial.active.legitimate}, the learned ones{' '}
          {trial.learned.frauds} and {trial.learned.legitimate}.
        </p>
      )}
      {isApplying && (
        <ApplyDialog
          rules={rules}
          overrides={{ ...rules.overrides, weights: learned }}
          onDone={() => setApplying(false)}
          onClose={() => setApplying(false)}
        />
      )}
    </Section>
  )
}

function Calibration({ learning: { calibration } }: Props) {
  return (
    <Section title="How often a score was fraud">
      <Table
        label="Share of fraud by score"
        rows={calibration}
        keyOf={({ from_score }) => String(from_score)}
        columns={[
          {
            label: 'Score',
            cell: ({ from_score, to_score }) =>
              from_score === to_score ? from_score : `${from_score}–${to_score}`,
          },
          { label: 'Orders', isNumber: true, cell: ({ orders }) => countText(orders, 'orders') },
          {
            label: 'Fraud',
            isNumber: true,
            cell: ({ fraud_share }) => percentText(fraud_share, 1),
          },
        ]}
      />
    </Section>
  )
}
