/** What a sealed signing secret is bound to. */
export const secretContext = (endpointId: string): string => `webhook_endpoint:${endpointId}`
