import styles from './explorer/explorer.module.css'
import { LEVELS, levelsOf, toggledLevel } from './view.ts'

export type LevelFieldProps = {
  /** Levels with commas between them; none means all. */
  value: string
  onChange: (value: string) => void
}

export function LevelField({ value, onChange }: LevelFieldProps) {
  const chosen = levelsOf(value)
  return (
    <fieldset class={styles['levels']}>
      <legend class="field-label">Level{chosen.length === 0 && ' (all)'}</legend>
      {LEVELS.map((level) => (
        <button
          key={level}
          type="button"
          class={`button button-small ${styles['level']}`}
          aria-pressed={chosen.includes(level)}
          onClick={() => onChange(toggledLevel(value, level))}
        >
          {level}
        </button>
      ))}
    </fieldset>
  )
}
