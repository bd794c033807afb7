/** The condition of a rule: completes names of facts, and marks a mistake while you type. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type {
  CustomRule,
  DraftCheck,
  DraftFault,
  FactText,
  RuleLanguage,
} from '../../../../src/modules/orders/rules/schema.ts'
import { useChange } from '../../api/read.ts'
import { TextArea } from '../../components/index.ts'
import { useScope } from '../../shell/organization.ts'
import { wordBefore } from './custom-draft.ts'
import styles from './rules.module.css'
import { TARGETS } from './subjects.ts'
import { RULES_PATH } from './use-rules.ts'

const CHECK_AFTER_MS = 300
const PROPOSALS_MAX = 8

type ConditionFieldProps = {
  value: string
  onChange: (when: string) => void
  /** The rule around the condition. */
  rule: CustomRule
  language: RuleLanguage | undefined
}

export function ConditionField({ value, onChange, rule, language }: ConditionFieldProps) {
  const field = useRef<HTMLDivElement>(null)
  const [cursor, setCursor] = useState(value.length)
  const fault = useFault(rule)
  const facts = [...(language?.facts ?? []), ...(language?.item_facts ?? []).map(inItem)]
  const { start, word } = wordBefore(value, cursor)
  const proposals = facts
    .filter(({ name }) => name !== word && name.startsWith(word))
    .slice(0, PROPOSALS_MAX)
  const complete = (name: string) => {
    const text = `${value.slice(0, start)}${name}${value.slice(cursor)}`
    onChange(text)
    setCursor(start + name.length)
    field.current?.querySelector('textarea')?.focus()
  }
  return (
    <div ref={field}>
      <TextArea
        label="When"
        hint={`For example: ${TARGETS[rule.applies_to].example}`}
        value={value}
        spellcheck={false}
        autocomplete="off"
        maxLength={2000}
        required
        onChange={(text) => {
          onChange(text)
          setCursor(field.current?.querySelector('textarea')?.selectionStart ?? text.length)
        }}
        onKeyUp={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onClick={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
      />
      {fault && value !== '' && <Mistake fault={fault} text={value} />}
      {proposals.length > 0 && (
        <ul class={styles['facts']} aria-label="Facts">
          {proposals.map(({ name, type, about }) => (
            <li key={name}>
              <button type="button" onClick={() => complete(name)}>
                <code>{name}</code> <span class="muted">{`${type}: ${about}`}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const inItem = (fact: FactText): FactText => ({ ...fact, name: `item.${fact.name}` })

/** Checks the condition when nothing has been typed for a moment. */
function useFault(rule: CustomRule): DraftFault | undefined {
  const scope = useScope()
  const { when, applies_to } = rule
  const key = `${applies_to} ${when}`
  const [found, setFound] = useState<{ key: string; fault: DraftFault | undefined }>()
  const check = useChange<string, DraftCheck>(
    (text) => ({
      method: 'POST',
      path: `${RULES_PATH}/check`,
      body: { ...scope, custom_rules: [{ ...rule, name: 'checked', value: 0, when: text }] },
    }),
    {
      quiet: true,
      onSuccess: ({ faults }, text) =>
        setFound({
          key: `${applies_to} ${text}`,
          fault: faults.find(({ field }) => field === 'when'),
        }),
    },
  )
  const { mutate } = check
  useEffect(() => {
    if (when === '') return undefined
    const timer = setTimeout(() => mutate(when), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [when, applies_to, mutate])
  return found?.key === key ? found.fault : undefined
}

function Mistake({ fault, text }: { fault: DraftFault; text: string }) {
  const { message, start, end } = fault
  const from = start ?? text.length
  const to = Math.max(from, end ?? text.length)
  return (
    <div class="field-fault" role="alert">
      <p>
        {message}
        {start !== null && `, at character ${start + 1}`}
      </p>
      <code>
        {text.slice(0, from)}
        <mark>{text.slice(from, to) || '…'}</mark>
        {text.slice(to)}
      </code>
    </div>
  )
}
