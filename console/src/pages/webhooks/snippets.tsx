/** Code that verifies a delivery, in the languages of docs/webhooks.md, which tests run. */
import { useState } from 'preact/hooks'
import { Button, CodeBlock } from '../../components/index.ts'
import go from './snippets/go.txt?raw'
import node from './snippets/node.txt?raw'
import php from './snippets/php.txt?raw'
import python from './snippets/python.txt?raw'
import ruby from './snippets/ruby.txt?raw'
import styles from './webhooks.module.css'

const LANGUAGES = [
  { name: 'Node.js', text: node },
  { name: 'Python', text: python },
  { name: 'PHP', text: php },
  { name: 'Ruby', text: ruby },
  { name: 'Go', text: go },
] as const

export function Snippets() {
  const [selected, setSelected] = useState<(typeof LANGUAGES)[number]>(LANGUAGES[0])
  return (
    <div class="prose">
      <p>
        <code>X-Service-Signature</code> is <code>t=&lt;Unix time&gt;,v1=&lt;hex&gt;</code>:{' '}
        <code>v1</code> is the HMAC-SHA256 of <code>t</code>, a dot and the raw body, keyed with the
        secret including <code>whsec_</code>. Verify the raw bytes, compare in constant time, and
        reject requests more than five minutes old. Respond with 401 if the signature is invalid and
        with 2xx immediately if it is valid. <code>X-Service-Delivery</code> is the same in every
        attempt.
      </p>
      <div class={styles['languages']} role="group" aria-label="Language">
        {LANGUAGES.map((language) => (
          <Button
            key={language.name}
            kind="quiet"
            size="small"
            aria-pressed={language === selected}
            onClick={() => setSelected(language)}
          >
            {language.name}
          </Button>
        ))}
      </div>
      <CodeBlock text={selected.text} label={`Verify a signature in ${selected.name}`} />
    </div>
  )
}
