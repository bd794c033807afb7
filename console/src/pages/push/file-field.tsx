/** A small file of text: chosen, or dropped. It is read here and goes nowhere by itself. */
import { useId, useState } from 'preact/hooks'
import styles from './push.module.css'

const BYTES_MAX = 100_000

export type ReadFile = { name: string; text: string }

export function FileField({
  label,
  accept,
  hint,
  onRead,
}: {
  label: string
  accept: string
  hint: string
  /** Undefined: what was read before is not meant any more. */
  onRead: (file: ReadFile | undefined) => void
}) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const [told, setTold] = useState<{ text: string; is_fault: boolean }>()
  const take = async (file: File | undefined | null) => {
    onRead(undefined)
    setTold(undefined)
    if (!file) return
    if (file.size > BYTES_MAX) {
      setTold({ text: `${file.name} is too long to be a key.`, is_fault: true })
      return
    }
    onRead({ name: file.name, text: await file.text() })
    setTold({ text: `${file.name} was read.`, is_fault: false })
  }
  return (
    <div
      class={styles['drop']}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void take(event.dataTransfer?.files[0])
      }}
    >
      <label for={id} class="field-label">
        {label}
      </label>
      <input
        id={id}
        type="file"
        accept={accept}
        aria-describedby={`${id}-hint`}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <p id={`${id}-hint`} class="field-hint">
        {hint}
      </p>
      <p class={told?.is_fault === true ? 'field-fault' : 'muted'} role="status">
        {told?.text}
      </p>
    </div>
  )
}
