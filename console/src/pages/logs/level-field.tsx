import styles from './explorer/explorer.module.css'
import { LEVELS, levelsOf, toggledLevel } from './view.ts'

export type LevelFieldProps = {
  /** Comma-separated levels; an empty text selects all levels. */
  value: string
  onChange: (value: string) => void
}

export function LevelField({ value, onChange }: LevelFieldProps) {
  const selected = levelsOf(value)
  return (
    <fieldset class={styles['levels']}>
      <legend class="field-label">Level{selected.length === 0 && ' (all)'}</legend>
      {LEVELS.map((level) => (
        <button
          key={level}
          type="button"
          class={`button button-small ${styles['level']}`}
          aria-pressed={selected.includes(level)}
          onClick={() => onChange(toggledLevel(value, level))}
        >
          {level}
        </button>
      ))}
    </fieldset>
  )
}
