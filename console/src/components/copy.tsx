import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

const TOLD_MS = 2000

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [told, setTold] = useState<string>()
  const copy = async () => {
    const isDone = await write(text).then(
      () => true,
      () => false,
    )
    setTold(isDone ? 'Copied' : 'Select it and copy by hand')
    setTimeout(() => setTold(undefined), TOLD_MS)
  }
  return (
    <Button size="small" onClick={() => void copy()} aria-live="polite">
      {told ?? label}
    </Button>
  )
}

/** Browsers have a clipboard only where the page came over TLS or from the machine itself. */
const write = async (text: string): Promise<void> => await navigator.clipboard.writeText(text)

/** Something that can be copied, in one line. */
export function Copyable({ text, label }: { text: string; label?: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} {...(label !== undefined && { label })} />
    </span>
  )
}

/** A secret that is shown this once. */
export function Secret({ secret, what }: { secret: string; what: string }) {
  return (
    <div class="notice badge-warn">
      <p>
        <strong>Copy this {what} now. It is not shown again.</strong>
      </p>
      <Copyable text={secret} label={`Copy ${what}`} />
    </div>
  )
}

/** Program text that can be copied. */
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

/** JSON as it came, indented. */
export const JsonBlock = ({ value, label }: { value: unknown; label: string }) => (
  <CodeBlock text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />
)
