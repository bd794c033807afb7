/** How a receiver verifies a delivery, in the languages of docs/webhooks.md, which the tests run. */
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
  const [chosen, setChosen] = useState<(typeof LANGUAGES)[number]>(LANGUAGES[0])
  return (
    <div class="prose">
      <p>
        <code>X-Service-Signature</code> is <code>t=&lt;Unix time&gt;,v1=&lt;hex&gt;</code>:{' '}
        <code>v1</code> is the HMAC-SHA256 of <code>t</code>, a dot and the raw body, under the
        secret with its <code>whsec_</code>. Verify the bytes as they came, compare in constant
        time, and refuse what is more than five minutes off. Answer 401 when it is wrong, 2xx at
        once when it is right; <code>X-Service-Delivery</code> is the same in every attempt.
      </p>
      <div class={styles['languages']} role="group" aria-label="Language">
        {LANGUAGES.map((language) => (
          <Button
            key={language.name}
            kind="quiet"
            size="small"
            aria-pressed={language === chosen}
            onClick={() => setChosen(language)}
          >
            {language.name}
          </Button>
        ))}
      </div>
      <CodeBlock text={chosen.text} label={`Verify a signature in ${chosen.name}`} />
    </div>
  )
}
