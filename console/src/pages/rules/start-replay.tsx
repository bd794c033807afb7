/** Asks what a draft would have made of a month. */
import { useState } from 'preact/hooks'
import type { RulesReplay } from '../../../../src/modules/orders/replays/schema.ts'
import type { RuleOverrides } from '../../../../src/modules/orders/rules/schema.ts'
import { useChange } from '../../api/read.ts'
import { Actions, Button, Form, Section, SelectField } from '../../components/index.ts'
import { useGo } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import { monthsBefore } from './months.ts'
import { RULES_PATH } from './use-rules.ts'

const MONTHS = 12

export function StartReplay({ overrides }: { overrides: RuleOverrides }) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const go = useGo()
  const [months] = useState(() => monthsBefore(new Date(), MONTHS))
  const [month, setMonth] = useState(months[0]?.value ?? '')
  const { from, to } = months.find(({ value }) => value === month) ?? {}
  const start = useChange<void, RulesReplay>(
    () => ({
      method: 'POST',
      path: `${RULES_PATH}/replays`,
      body: { org_id, mode, overrides, from, to },
    }),
    {
      changes: [`${RULES_PATH}/replays`],
      onDone: ({ id }) => go(`/rules/replays/${id}`),
      quiet: true,
    },
  )
  return (
    <Section title="What would have changed?">
      <Form onSubmit={() => start.mutate()} error={start.error}>
        <p class="muted">
          Stored orders are scored again with the draft, from the first one that is kept, in the
          background. Compared are those of one month. Nothing is changed by it.
        </p>
        <div class="row">
          <SelectField
            label="Month"
            name="from"
            value={month}
            options={months.map(({ value, label }) => ({ value, label }))}
            onChange={setMonth}
          />
        </div>
        <Actions>
          <Button type="submit" kind="primary" busy={start.isPending}>
            Replay
          </Button>
        </Actions>
      </Form>
    </Section>
  )
}
