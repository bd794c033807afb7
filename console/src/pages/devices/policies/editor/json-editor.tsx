import { useId, useRef } from 'preact/hooks'
import { countText } from '../../../../components/index.ts'
import styles from './json-editor.module.css'
import type { TextFault } from './json-text.ts'
import type { Checked } from './use-faults.ts'

type Props = Omit<Checked, 'value'> & {
  label: string
  value: string
  onChange: (value: string) => void
  isReadOnly?: boolean
}

const LINES_MIN = 12
const COLUMNS_MIN = 40
/** One missing character can cause thousands of errors. */
const FAULTS_SHOWN = 100

export function JsonEditor({ label, value, onChange, faults, isChecking, isReadOnly }: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const lines = value.split('\n')
  const rows = Math.max(LINES_MIN, lines.length)
  const longest = lines.reduce((max, line) => Math.max(max, line.length), COLUMNS_MIN)
  const shown = faults.slice(0, FAULTS_SHOWN)
  const faulty = new Set(shown.map(({ line }) => line))

  const goTo = ({ line, offset }: TextFault) => {
    const end = value.indexOf('\n', offset)
    field.current?.focus({ preventScroll: true })
    field.current?.setSelectionRange(offset, end < 0 ? value.length : end)
    const height = (field.current?.scrollHeight ?? 0) / rows
    frame.current?.scrollTo({ top: Math.max(0, (line - 4) * height), left: 0 })
    frame.current?.scrollIntoView({ block: 'nearest' })
  }

  return (
    <div class="field">
      <label for={id} class="field-label">
        {label}
      </label>
      <div ref={frame} class={styles['editor']} data-faulty={faults.length > 0}>
        <pre class={styles['numbers']} aria-hidden="true">
          {Array.from({ length: lines.length }, (_, index) => index + 1).join('\n')}
        </pre>
        <div class={styles['text']} style={{ minWidth: `${longest + 4}ch` }}>
          {[...faulty].map((line) => (
            <span
              key={line}
              class={styles['fault']}
              aria-hidden="true"
              style={{ top: `calc(var(--editor-line) * ${line - 1} + var(--editor-pad))` }}
            />
          ))}
          <textarea
            ref={field}
            id={id}
            rows={rows}
            wrap="off"
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            readOnly={isReadOnly ?? false}
            value={value}
            aria-invalid={faults.length > 0}
            aria-describedby={`${id}-faults`}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
        </div>
      </div>
      <div id={`${id}-faults`} class={styles['faults']} role="status">
        {faults.length > 0 ? (
          <>
            <p class="form-fault">
              {countText(faults.length, 'errors')}
              {faults.length > FAULTS_SHOWN && ` (first ${FAULTS_SHOWN} shown)`}
            </p>
            <ol>
              {shown.map((fault) => (
                <li key={`${fault.offset} ${fault.message}`}>
                  <button type="button" onClick={() => goTo(fault)}>
                    <span class={styles['line']}>Line {fault.line}</span>
                    <span>{fault.message}</span>
                  </button>
                </li>
              ))}
            </ol>
          </>
        ) : (
          <p class="muted">{isChecking ? 'Checking…' : 'No errors'}</p>
        )}
      </div>
    </div>
  )
}
