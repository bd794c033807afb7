import { useState } from 'preact/hooks'
import type { RulesReplay } from '../../../../src/modules/orders/replays/schema.ts'
import type { CustomRule, RuleOverrides } from '../../../../src/modules/orders/rules/schema.ts'
import { useChange } from '../../api/read.ts'
import { Form, FormActions, Section, SelectField } from '../../components/index.ts'
import { useGo } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { monthsBefore } from './months.ts'
import { RULES_PATH } from './use-rules.ts'

const MONTHS = 12

type StartReplayProps = { overrides: RuleOverrides; custom_rules?: readonly CustomRule[] }

export function StartReplay({ overrides, custom_rules }: StartReplayProps) {
  const scope = useScope()
  const go = useGo()
  const [months] = useState(() => monthsBefore(new Date(), MONTHS))
  const [month, setMonth] = useState(months[0]?.value ?? '')
  const { from, to } = months.find(({ value }) => value === month) ?? {}
  const start = useChange<void, RulesReplay>(
    () => ({
      method: 'POST',
      path: `${RULES_PATH}/replays`,
      body: { ...scope, overrides, custom_rules, from, to },
    }),
    {
      invalidates: [`${RULES_PATH}/replays`],
      onSuccess: ({ id }) => go(`/rules/replays/${id}`),
      quiet: true,
    },
  )
  return (
    <Section title="Replay the draft">
      <Form onSubmit={() => start.mutate()} error={start.error}>
        <p class="muted">
          Rescores the stored orders with the draft in the background, from the first one on,
          because a score depends on all earlier orders. The orders received in the chosen month are
          compared with their original scores; earlier ones are the warm-up. If a custom rule
          applies to checks or cashier actions, those of the month are rescored from the signals and
          counts that are stored with them, without a warm-up. It does not change any data.
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
        <FormActions busy={start.isPending}>Start replay</FormActions>
      </Form>
    </Section>
  )
}
