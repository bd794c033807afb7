/**
 * This client against a running service. `VIGIL_PUSH_TEST` has its address, the keys of an organization, an
 * application and tokens of phones at an emulator of FCM, as JSON.
 */
package dev.vigil.push

import java.io.IOException
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import okhttp3.Interceptor
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable

private const val WORLD = "VIGIL_PUSH_TEST"

/** Phones are taken by one test each. */
private val phones = AtomicInteger()

@EnabledIfEnvironmentVariable(named = WORLD, matches = ".+")
class ServiceTest {
    private val world = Json.parseToJsonElement(System.getenv(WORLD)).jsonObject
    private val backend = OkHttpClient()
    private val problems = mutableListOf<PushProblem>()

    private class Memory : PushStorage {
        private val values = HashMap<String, String>()

        override fun read(key: String) = values[key]

        override fun write(key: String, value: String) {
            values[key] = value
        }
    }

    private fun of(name: String) = checkNotNull(world.text(name))

    private fun newToken() = world.getValue("tokens").jsonArray[phones.getAndIncrement()].jsonPrimitive.content

    private fun open(
        storage: PushStorage = Memory(),
        http: OkHttpClient = OkHttpClient(),
        apiKey: String = of("public_key"),
        identity: IdentitySource = IdentitySource { identityToken(it) },
    ) = VigilPush(
        PushOptions(
            serviceUrl = of("service_url"),
            apiKey = apiKey,
            applicationId = of("application_id"),
            storage = storage,
            identity = identity,
            onProblem = { problems += it },
            http = http,
        ),
    )

    /** Requests of the app's backend, with its secret key. */
    private fun ask(path: String, body: Map<String, Any>? = null): JsonObject {
        val text = body?.let { members ->
            members.entries.joinToString(",", "{\"application_id\":\"${of("application_id")}\",", "}") {
                "\"${it.key}\":${it.value}"
            }
        }
        val request = Request.Builder().url(of("service_url") + path)
            .header("X-API-Key", of("secret_key"))
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .apply { text?.let { post(it.toRequestBody("application/json".toMediaType())) } }
        return backend.newCall(request.build()).execute().use {
            val answer = checkNotNull(it.body).string()
            check(it.isSuccessful) { "$path: $answer" }
            Json.parseToJsonElement(answer).jsonObject.getValue("content").jsonObject
        }
    }

    private fun identityToken(user: String) =
        ask("/v1/push-sdk/identity-token", mapOf("external_user_id" to "\"$user\"")).text("identity_token")

    private fun send(user: String): JsonObject =
        ask("/v1/push-sdk/messages", mapOf("external_user_ids" to "[\"$user\"]", "title" to "\"Hello\""))

    /** Waits until the emulated provider has accepted everything. */
    private fun settled(message: JsonObject): JsonObject {
        repeat(300) {
            val found = ask("/sdk/push/messages/${message.text("message_id")}")
            if (found.text("completed_at") != null) return found
            Thread.sleep(50)
        }
        throw AssertionError("the message was not sent")
    }

    private fun JsonObject.count(name: String) = getValue(name).jsonPrimitive.int

    private fun <T> CompletableFuture<T>.now(): T = get(60, TimeUnit.SECONDS)

    private fun newUser() = "user-${UUID.randomUUID()}"

    @Test
    fun `an app gets messages of its user and reports them, until the user logs out`() = open().use { push ->
        val user = newUser()
        push.update(Facts(newToken(), Permission.GRANTED, "de-CH", "2.1.0", "Europe/Zurich")).now()
        val identified = push.identify(user).now()
        assertTrue(identified.isSynced)
        val message = settled(send(user))
        assertEquals(1, message.count("accepted"))
        val data = mapOf("vigil_message_id" to message.text("message_id"))
        push.received(data).now()
        push.clicked(data).now()
        push.clicked(data).now()
        val counted = settled(message)
        assertEquals(listOf(1, 1), listOf(counted.count("received"), counted.count("clicked")))
        val anonymous = push.logout().now()
        assertEquals(identified.copy(externalUserId = null), anonymous)
        assertEquals(0, send(user).count("targeted"))
        assertEquals(listOf<PushProblem>(), problems)
    }

    @Test
    fun `a new token keeps the user, and without permission nothing is sent`() = open().use { push ->
        val user = newUser()
        push.update(Facts(newToken())).now()
        push.identify(user).now()
        push.update(Facts(newToken())).now()
        assertEquals(1, settled(send(user)).count("accepted"))
        push.update(Facts(permission = Permission.DENIED)).now()
        assertEquals(0, settled(send(user)).count("accepted"))
    }

    @Test
    fun `a phone with lost responses has one subscription`() {
        val lost = AtomicInteger(2)
        val lossy = Interceptor { chain ->
            val response = chain.proceed(chain.request())
            if (lost.getAndDecrement() <= 0) return@Interceptor response
            response.close()
            throw IOException("the response was lost")
        }
        val http = OkHttpClient.Builder().addInterceptor(lossy).build()
        val storage = Memory()
        val token = newToken()
        open(storage, http).use { assertNull(it.update(Facts(token)).now().subscriptionId) }
        open(storage, http).use { push ->
            push.sync().now()
            val registered = push.sync().now()
            assertTrue(registered.isSynced)
            val user = newUser()
            push.identify(user).now()
            assertEquals(1, send(user).count("targeted"))
            // The same token with another registration returns the same subscription.
            open().use { assertEquals(registered.subscriptionId, it.update(Facts(token)).now().subscriptionId) }
        }
    }

    @Test
    fun `an app that another installation has replaced registers again`() = open().use { push ->
        val (token, user) = newToken() to newUser()
        push.update(Facts(token)).now()
        push.identify(user).now()
        open().use { it.update(Facts(token)).now() }
        val again = push.update(Facts(locale = "fr-CH")).now()
        assertEquals(listOf(user, true), listOf(again.externalUserId, again.isSynced))
        assertEquals(1, settled(send(user)).count("accepted"))
    }

    @Test
    fun `unsubscribing deletes the subscription, and subscribing creates another one`() = open().use { push ->
        val first = push.update(Facts(newToken())).now()
        assertNull(push.unsubscribe().now().subscriptionId)
        val second = push.subscribe().now()
        assertNotNull(second.subscriptionId)
        assertNotEquals(first.subscriptionId, second.subscriptionId)
    }

    @Test
    fun `refusals are reported to the app`() {
        open().use { it.update(Facts("not a token")).now() }
        open(apiKey = "pk_live_wrong").use { it.update(Facts(newToken())).now() }
        open(identity = { "forged" }).use {
            it.update(Facts(newToken())).now()
            assertNull(it.identify("anna").now().externalUserId)
        }
        assertEquals(
            listOf(Triple("register", 400, "token"), Triple("register", 401, null), Triple("identify", 400, "identity_token")),
            problems.map { Triple(it.operation, it.status, it.field) },
        )
    }
}
