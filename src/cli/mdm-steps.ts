/** Output of `vigil mdm connect` about the setup of Pub/Sub, and the steps that are left to do. */
import { PUBLISHER } from '../modules/mdm/index.ts'

export type Prepared = {
  topic: string
  subscription: string | undefined
  steps: Record<'topic' | 'subscription' | 'publisher', StepResult>
  /** Error messages of the steps that failed. */
  faults: string[]
}

type StepResult = 'made' | 'there' | 'failed' | 'not_needed'

export function stepLines({ topic, subscription, steps, faults }: Prepared): string[] {
  const commands = [
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
    ...(steps.publisher === 'failed'
      ? []
      : [`Permission to publish to it ${WORDS[steps.publisher]}`]),
    ...(commands.length === 0 ? [] : [LACKING, ...faults.map(indented)]),
    ...(commands.length === 0 ? [] : [REMEDY, ...commands.map(indented)]),
  ]
}

const LACKING = 'The service account lacks permission for some steps:'
const REMEDY = 'Run these commands with an account that has it:'

const WORDS: Record<StepResult, string> = {
  made: 'created',
  there: 'already exists',
  failed: 'failed',
  not_needed: 'not needed',
}

const indented = (line: string): string => `  ${line}`

function subscriptionLines(subscription: string | undefined, step: StepResult): string[] {
  if (subscription === undefined) {
    return ['Notifications are pushed: create a push subscription to /hooks/android-management']
  }
  return step === 'failed' ? [] : [`Subscription ${subscription} ${WORDS[step]}`]
}
