/** The public types of the push client. */
package dev.vigil.push

import java.util.UUID
import okhttp3.HttpUrl.Companion.toHttpUrl
import okhttp3.OkHttpClient

enum class Platform { ANDROID, IOS }

enum class Permission { GRANTED, PROVISIONAL, DENIED }

/** Facts about the app and its device. Members that are null do not change. */
data class Facts(
    /** Of FCM for Android. */
    val token: String? = null,
    val permission: Permission? = null,
    /** Language tag, such as `de-CH`. */
    val locale: String? = null,
    val appVersion: String? = null,
    /** Name of the time zone, such as `Europe/Zurich`. */
    val timeZone: String? = null,
)

/** Stores texts for the app. It may throw an exception; the client then reports it and continues. */
interface PushStorage {
    fun read(key: String): String?

    fun write(key: String, value: String)
}

/**
 * Gets an identity assertion for the user from the backend of the app, on a thread of its own. Null means that
 * the user is not signed in; an exception means that the backend could not be reached, so it is called again later.
 */
fun interface IdentitySource {
    fun assertionFor(externalUserId: String): String?
}

/** A failure that does not end by waiting, such as a wrong key. */
data class PushProblem(
    /** `register`, `refresh`, `identify`, `logout`, `receipts`, `unsubscribe` or `storage`. */
    val operation: String,
    val message: String,
    /** HTTP status of a refusal. */
    val status: Int? = null,
    /** The field that a refusal names. */
    val field: String? = null,
)

class PushOptions(
    /** URL of the service without a path, such as `https://vigil.example.com`. */
    val serviceUrl: String,
    /** A public key (`pk_…`) of the environment of the application. */
    val apiKey: String,
    val applicationId: String,
    val storage: PushStorage,
    val platform: Platform = Platform.ANDROID,
    /** Required for `identify`. */
    val identity: IdentitySource? = null,
    val onProblem: (PushProblem) -> Unit = {},
    /** Deadline of a request and of [identity]. */
    val timeoutMs: Long = 20_000,
    /** Shares its threads and connections with the client. */
    val http: OkHttpClient = OkHttpClient(),
    val randomUuid: () -> String = { UUID.randomUUID().toString() },
) {
    init {
        serviceUrl.toHttpUrl()
        require(apiKey.startsWith("pk_")) {
            "apiKey must be a public key (pk_…): a secret key must never be part of an app"
        }
    }
}

data class PushStatus(
    val subscriptionId: String?,
    /** The user who was identified last, until the logout. */
    val externalUserId: String?,
    val isUnsubscribed: Boolean,
    /** Whether the service has everything. Otherwise the client sends it later. */
    val isSynced: Boolean,
    val receiptsWaiting: Int,
)
