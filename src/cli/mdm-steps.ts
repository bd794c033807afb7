/** What `vigil mdm connect` says about the way that notifications take, and what is left to be done. */
import { PUBLISHER } from '../modules/mdm/index.ts'

export type Prepared = {
  topic: string
  subscription: string | undefined
  steps: Record<'topic' | 'subscription' | 'publisher', StepResult>
  /** Why steps failed, as sentences. */
  faults: string[]
}

type StepResult = 'made' | 'there' | 'failed' | 'not_needed'

export function stepLines({ topic, subscription, steps, faults }: Prepared): string[] {
  const left = [
    ...(steps.topic === 'failed' ? [`gcloud pubsub topics create ${topic}`] : []),
    ...(steps.subscription === 'failed'
      ? [`gcloud pubsub subscriptions create ${subscription} --topic=${topic} --ack-deadline=120`]
      : []),
    ...(steps.publisher === 'failed'
      ? [
          `gcloud pubsub topics add-iam-policy-binding ${topic} --member=${PUBLISHER} --role=roles/pubsub.publisher`,
        ]
      : []),
  ]
  return [
    ...(steps.topic === 'failed' ? [] : [`Topic ${topic} ${WORDS[steps.topic]}`]),
    ...subscriptionLines(subscription, steps.subscription),
    ...(steps.publisher === 'failed' ? [] : [`Right to publish to it ${WORDS[steps.publisher]}`]),
    ...(left.length === 0 ? [] : ['The account could not do all of it:', ...faults.map(indented)]),
    ...(left.length === 0 ? [] : ['Left to be done, by somebody who may:', ...left.map(indented)]),
  ]
}

const WORDS: Record<StepResult, string> = {
  made: 'made',
  there: 'was there',
  failed: 'failed',
  not_needed: 'not needed',
}

const indented = (line: string): string => `  ${line}`

function subscriptionLines(subscription: string | undefined, step: StepResult): string[] {
  if (subscription === undefined) {
    return ['Notifications are pushed: make a push subscription to /hooks/android-management']
  }
  return step === 'failed' ? [] : [`Subscription ${subscription} ${WORDS[step]}`]
}
