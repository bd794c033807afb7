/** Edits one custom rule, with the names of the facts and the place of a mistake. */
import { useState } from 'preact/hooks'
import type {
  CustomRule,
  DraftCheck,
  DraftFault,
  RuleLanguage,
} from '../../../../src/modules/orders/rules/schema.ts'
import { useChange } from '../../api/read.ts'
import { FormDialog, SelectField, TextArea, TextField } from '../../components/index.ts'
import { useScope } from '../../shell/organization.ts'
import { ConditionField } from './condition-field.tsx'
import { signalText, TARGETS } from './subjects.ts'
import { RULES_PATH } from './use-rules.ts'

const EFFECTS = [
  { value: 'points', label: 'add points to the score' },
  { value: 'floor', label: 'the score is at least' },
  { value: 'cap', label: 'the score is at most' },
  { value: 'review', label: 'send to review' },
  { value: 'alert', label: 'raise an alert' },
] as const
const STATES = [
  { value: 'off', label: 'off' },
  { value: 'shadow', label: 'shadow: only record' },
  { value: 'on', label: 'on' },
] as const

type RuleDialogProps = {
  languages: readonly RuleLanguage[]
  rule: CustomRule
  /** The other rules of the draft. */
  others: readonly CustomRule[]
  onSave: (rule: CustomRule) => void
  onClose: () => void
}

export function RuleDialog({ languages, rule: before, others, onSave, onClose }: RuleDialogProps) {
  const scope = useScope()
  const [rule, setRule] = useState({ ...before, value: String(before.value) })
  const [faults, setFaults] = useState<readonly DraftFault[]>([])
  const set = (more: Partial<typeof rule>) => {
    setRule({ ...rule, ...more })
    setFaults([])
  }
  const { warning: _past, ...members } = rule
  // A text that is no number is refused by its name, as other mistakes are.
  const complete = { ...members, value: Number(rule.value), warning: '' }
  const check = useChange<void, DraftCheck>(
    () => ({
      method: 'POST',
      path: `${RULES_PATH}/check`,
      body: { ...scope, custom_rules: [...others, complete] },
    }),
    {
      quiet: true,
      onSuccess: (result) => {
        const own = result.faults.filter((fault) => fault.rule === others.length || fault.rule < 0)
        setFaults(own)
        if (own.length === 0) onSave(complete)
      },
    },
  )
  const language = languages.find(({ applies_to }) => applies_to === rule.applies_to)
  const signalsOf = (target: CustomRule['applies_to']) =>
    languages.find(({ applies_to }) => applies_to === target)?.signals ?? []
  const hasValue = rule.effect !== 'review' && rule.effect !== 'alert'
  return (
    <FormDialog
      title={before.name === '' ? 'New rule' : `Rule ${before.name}`}
      action="Keep in draft"
      change={check}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={rule.name}
        onChange={(name) => set({ name })}
        maxLength={80}
        required
      />
      <SelectField
        label="Applies to"
        value={rule.applies_to}
        options={languages.map(({ applies_to }) => ({
          value: applies_to,
          label: TARGETS[applies_to].many,
        }))}
        onChange={(applies_to) => set({ applies_to, signal: signalsOf(applies_to)[0] ?? '' })}
      />
      <ConditionField
        value={rule.when}
        onChange={(when) => set({ when })}
        rule={complete}
        language={language}
      />
      <SelectField
        label="Then"
        value={rule.effect}
        options={EFFECTS}
        onChange={(effect) => set({ effect })}
      />
      {hasValue && (
        <TextField
          label={rule.effect === 'points' ? 'Points' : 'Score'}
          value={rule.value}
          onChange={(value) => set({ value })}
          inputMode="numeric"
        />
      )}
      {rule.effect !== 'cap' && rule.effect !== 'alert' && (
        <SelectField
          label="Signal"
          hint="The documented signal that a higher score belongs to"
          value={rule.signal}
          options={signalsOf(rule.applies_to).map((value) => ({ value, label: signalText(value) }))}
          onChange={(signal) => set({ signal })}
        />
      )}
      <SelectField
        label="State"
        value={rule.state}
        options={STATES}
        onChange={(state) => set({ state })}
      />
      <TextArea
        label="Comment"
        value={rule.comment}
        onChange={(comment) => set({ comment })}
        maxLength={500}
        rows={2}
      />
      {faults.map(({ message }) => (
        <p key={message} class="form-fault" role="alert">
          {message}
        </p>
      ))}
    </FormDialog>
  )
}
