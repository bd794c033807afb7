import { useState } from 'preact/hooks'
import type { Channel, TestResult } from '../../../../src/modules/notifications/schema.ts'
import { Button, CodeBlock, Dialog, durationText, Facts, Notice } from '../../components/index.ts'
import { useNotificationChange } from './api.ts'

/** Sends a message immediately and shows the answer of the provider. */
export function TestButton({ channel: { id, name } }: { channel: Channel }) {
  const [result, setResult] = useState<TestResult>()
  const test = useNotificationChange<TestResult>(
    () => ({ method: 'POST', path: `/channels/${id}/test` }),
    { onSuccess: setResult },
  )
  return (
    <>
      <Button
        size="small"
        busy={test.isPending}
        aria-label={`Send a test to ${name}`}
        onClick={() => test.mutate()}
      >
        Send a test
      </Button>
      {result && (
        <Dialog title={`Test of ${name}`} onClose={() => setResult(undefined)}>
          <Answer result={result} />
        </Dialog>
      )}
    </>
  )
}

function Answer({ result }: { result: TestResult }) {
  const { is_accepted, response_status, response_body, error, latency_ms } = result
  return (
    <div class="stack">
      <Notice tone={is_accepted ? 'good' : 'bad'}>
        <p role="status">
          {is_accepted ? 'The message was accepted.' : 'The message was not accepted.'}
        </p>
      </Notice>
      <Facts
        facts={[
          error !== null && ['Error', error],
          response_status !== null && ['Status', String(response_status)],
          ['Latency', durationText(latency_ms)],
        ]}
      />
      {response_body !== null && response_body !== '' && (
        <CodeBlock text={response_body} label="Answer of the provider" />
      )}
    </div>
  )
}
