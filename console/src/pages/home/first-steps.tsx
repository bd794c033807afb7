/** Shown until the first request: what to do, with a command to copy. */
import { CodeBlock, Notice, Section } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import styles from './home.module.css'

const commandOf = (mode: 'live' | 'test') =>
  `curl -s ${window.location.origin}/v1/check \\
  -H "X-API-Key: $VIGIL_${mode.toUpperCase()}_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"email":"clean@example.com","event_type":"signup"}'`

export function FirstSteps({ hasKey }: { hasKey: boolean }) {
  const { is_admin } = useOrg()
  const mode = useMode()
  return (
    <Section title={`First steps with ${mode} data`}>
      <ol class={styles['steps']}>
        <li>
          <h3>{hasKey ? `Use your ${mode} key` : `Create a ${mode} key`}</h3>
          <p>
            {is_admin ? (
              <>
                <PageLink to="/developers/keys">
                  {hasKey ? 'Create another key' : 'Create a key'}
                </PageLink>{' '}
                {hasKey ? 'if you no longer have its text.' : 'and copy its text.'} A key is shown
                only once.
              </>
            ) : (
              'Only owners and admins can create keys. Ask one of them for a key.'
            )}
          </p>
        </li>
        <li>
          <h3>Send the first check</h3>
          <p>Replace the variable with your key.</p>
          <CodeBlock text={commandOf(mode)} label="Command for the first check" />
        </li>
        <li>
          <h3>Review the result</h3>
          <p>
            Moments later the check appears under <PageLink to="/checks">Checks</PageLink>, with the
            reasons for its score.
          </p>
        </li>
      </ol>
      {mode === 'live' && (
        <Notice>
          Live checks cost credits. Switch to test data at the top to try for free, with test values
          that return fixed results.
        </Notice>
      )}
    </Section>
  )
}
