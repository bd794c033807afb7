import { useId, useLayoutEffect, useState } from 'preact/hooks'
import type { RuleParameter } from '../../../../src/modules/orders/rules/schema.ts'
import { Badge, Button, numberText } from '../../components/index.ts'
import { errorOf } from './draft.ts'
import styles from './rules.module.css'

export type NumberRowProps = {
  parameter: RuleParameter
  /** Value in the draft; undefined while it equals the active value. */
  value: number | undefined
  onChange: (value: number) => void
  onReset: () => void
}

export function NumberRow({ parameter, value, onChange, onReset }: NumberRowProps) {
  const { label, unit, about, raising, active, min, slider_max, step } = parameter
  const id = useId()
  const now = value ?? active
  // The text, because the input may not be a number yet.
  const [text, setText] = useState(String(now))
  // A layout effect, so that the field never shows another number than the slider.
  useLayoutEffect(() => {
    if (Number(text) !== now || text.trim() === '') setText(String(now))
  }, [now])
  const error = errorOf(text, parameter)
  const type = (typed: string) => {
    setText(typed)
    if (errorOf(typed, parameter) === undefined) onChange(Number(typed))
  }
  return (
    <div class={styles['number']} role="group" aria-labelledby={`${id}-label`}>
      <div>
        <label for={id} id={`${id}-label`} class="field-label">
          {label}
        </label>{' '}
        {value !== undefined && <Badge tone="info">changed</Badge>}
        <p class="field-hint" id={`${id}-hint`}>
          {about} <em>Higher values:</em> {raising}
        </p>
      </div>
      <div class={styles['set']}>
        <input
          type="range"
          aria-label={`${label}, slider`}
          min={min}
          max={Math.max(slider_max, active)}
          step={step}
          value={now}
          onInput={(event) => onChange(Number(event.currentTarget.value))}
        />
        <input
          id={id}
          type="text"
          inputMode="decimal"
          value={text}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-hint ${id}-was${error === undefined ? '' : ` ${id}-error`}`}
          onInput={(event) => type(event.currentTarget.value)}
        />
        <span class="muted">{unit}</span>
        <Button
          size="small"
          aria-label={`Reset ${label}`}
          disabled={value === undefined && error === undefined}
          onClick={() => {
            setText(String(active))
            onReset()
          }}
        >
          Reset
        </Button>
        <span class={`muted ${styles['was'] ?? ''}`} id={`${id}-was`}>
          current {numberIn(active)}, default {numberIn(parameter.default)}
        </span>
        {error !== undefined && (
          <p class="field-fault" id={`${id}-error`} role="alert">
            {error}
          </p>
        )}
      </div>
    </div>
  )
}

const numberIn = (value: number): string => numberText(value, { digits: 6 })
