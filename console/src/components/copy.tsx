import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

const FEEDBACK_MS = 2000

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [feedback, setFeedback] = useState<string>()
  const copy = async () => {
    const isDone = await write(text).then(
      () => true,
      () => false,
    )
    setFeedback(isDone ? 'Copied' : 'Select the text and copy it')
    setTimeout(() => setFeedback(undefined), FEEDBACK_MS)
  }
  return (
    <Button size="small" onClick={() => void copy()} aria-live="polite">
      {feedback ?? label}
    </Button>
  )
}

/** Async, because `navigator.clipboard` is undefined on plain HTTP away from localhost and throws. */
const write = async (text: string): Promise<void> => await navigator.clipboard.writeText(text)

/** One line of text with a copy button. */
export function Copyable({ text, label }: { text: string; label?: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} {...(label !== undefined && { label })} />
    </span>
  )
}

type SecretProps = { secret: string; what: string; again?: string }

/** A new secret. @param again a sentence about the people who can show it again; by default, no one can */
export function Secret({ secret, what, again = 'You will not see it again.' }: SecretProps) {
  return (
    <div class="notice badge-warn">
      <p>
        <strong>
          Copy this {what} now. {again}
        </strong>
      </p>
      <Copyable text={secret} label={`Copy ${what}`} />
    </div>
  )
}

/** Code with a copy button. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      <pre role="region" tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  )
}

/** Indented JSON with a copy button. */
export const JsonBlock = ({ value, label }: { value: unknown; label: string }) => (
  <CodeBlock text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />
)
