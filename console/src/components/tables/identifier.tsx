/** A name or id on one line. A long one is shortened in the middle, and can be copied. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../icon.tsx'

const WHOLE_MAX_CHARS = 26
const END_CHARS = 8
const FEEDBACK_MS = 1500

/** @property children receives the text, by default as it is, for example for a link */
type Props = { text: string; children?: (text: ComponentChildren) => ComponentChildren }

export function Identifier({ text, children = (shown) => shown }: Props) {
  const { start, end } = splitId(text)
  return (
    <span class="identifier" title={text}>
      {children(
        end === '' ? (
          text
        ) : (
          <>
            <span class="visually-hidden">{text}</span>
            <span class="identifier-parts" aria-hidden="true">
              <span class="identifier-start">{start}</span>
              <span>{end}</span>
            </span>
          </>
        ),
      )}
      <CopySign text={text} />
    </span>
  )
}

function CopySign({ text }: { text: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    // `navigator.clipboard` is missing on plain HTTP.
    await navigator.clipboard?.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), FEEDBACK_MS)
  }
  return (
    <button
      type="button"
      class="identifier-copy"
      aria-label={isDone ? 'Copied' : `Copy ${text}`}
      onClick={() => void copy().catch(() => setDone(false))}
    >
      <Icon sign={isDone ? 'done' : 'copy'} />
    </button>
  )
}

export function splitId(text: string): { start: string; end: string } {
  if (text.length <= WHOLE_MAX_CHARS) return { start: text, end: '' }
  return { start: text.slice(0, -END_CHARS), end: text.slice(-END_CHARS) }
}
