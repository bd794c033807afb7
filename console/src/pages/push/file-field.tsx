/** A small text file, chosen or dropped. It is read in the browser and not uploaded by itself. */
import { useId, useState } from 'preact/hooks'
import styles from './push.module.css'

const BYTES_MAX = 100_000

export type ReadFile = { name: string; text: string }

type Props = {
  label: string
  accept: string
  hint: string
  /** Called with undefined when the previous file no longer applies. */
  onRead: (file: ReadFile | undefined) => void
}

export function FileField({ label, accept, hint, onRead }: Props) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const [message, setMessage] = useState<{ text: string; is_fault: boolean }>()
  const take = async (file: File | undefined | null) => {
    onRead(undefined)
    setMessage(undefined)
    if (!file) return
    if (file.size > BYTES_MAX) {
      setMessage({ text: `${file.name} is too large to be a key.`, is_fault: true })
      return
    }
    onRead({ name: file.name, text: await file.text() })
    setMessage({ text: `${file.name} was read.`, is_fault: false })
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
      <p class={message?.is_fault === true ? 'field-fault' : 'muted'} role="status">
        {message?.text}
      </p>
    </div>
  )
}
