/** One number of the rules: what it is, what it was, and what it is to be. */
import { useEffect, useId, useState } from 'preact/hooks'
import type { RuleParameter } from '../../../../src/modules/orders/rules/schema.ts'
import { Badge, Button, numberText } from '../../components/index.ts'
import { faultOf } from './draft.ts'
import styles from './rules.module.css'

export type NumberRowProps = {
  parameter: RuleParameter
  /** Of the draft; undefined while it is as it is in force. */
  value: number | undefined
  onChange: (value: number) => void
  onReset: () => void
}

export function NumberRow({ parameter, value, onChange, onReset }: NumberRowProps) {
  const { label, unit, about, raising, in_force, min, slider_max, step } = parameter
  const id = useId()
  const now = value ?? in_force
  // What is being typed may not be a number yet.
  const [text, setText] = useState(String(now))
  useEffect(() => {
    if (Number(text) !== now || text.trim() === '') setText(String(now))
  }, [now])
  const fault = faultOf(text, parameter)
  const type = (typed: string) => {
    setText(typed)
    if (faultOf(typed, parameter) === undefined) onChange(Number(typed))
  }
  return (
    <div class={styles['number']} role="group" aria-labelledby={`${id}-label`}>
      <div>
        <label for={id} id={`${id}-label`} class="field-label">
          {label}
        </label>{' '}
        {value !== undefined && <Badge tone="info">changed</Badge>}
        <p class="field-hint" id={`${id}-hint`}>
          {about} <em>Raised:</em> {raising}
        </p>
      </div>
      <div class={styles['set']}>
        <input
          type="range"
          aria-label={`${label}, slider`}
          min={min}
          max={Math.max(slider_max, in_force)}
          step={step}
          value={now}
          onInput={(event) => onChange(Number(event.currentTarget.value))}
        />
        <input
          id={id}
          type="text"
          inputMode="decimal"
          value={text}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-hint ${id}-was${fault === undefined ? '' : ` ${id}-fault`}`}
          onInput={(event) => type(event.currentTarget.value)}
        />
        <span class="muted">{unit}</span>
        <Button
          size="small"
          aria-label={`Reset ${label}`}
          disabled={value === undefined && fault === undefined}
          onClick={() => {
            setText(String(in_force))
            onReset()
          }}
        >
          Reset
        </Button>
        <span class={`muted ${styles['was'] ?? ''}`} id={`${id}-was`}>
          in force {shown(in_force)}, default {shown(parameter.default)}
        </span>
        {fault !== undefined && (
          <p class="field-fault" id={`${id}-fault`} role="alert">
            {fault}
          </p>
        )}
      </div>
    </div>
  )
}

const shown = (value: number): string => numberText(value, { digits: 6 })
