/* A bot over one REQ socket of libzmq: plays any legal play, names any double, to the end of the
 * match. It knows no rule; the daemon lists the legal plays. A reply that does not come is asked
 * for again: every action carries its ply, so that it cannot be done twice.
 *
 *     cc -O2 -o bot bot.c -lzmq
 *     ./bot ADDRESS TABLE TOKEN [SEED]
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum { PATIENCE_MS = 8000, WAIT_SECONDS = 5, ATTEMPTS = 20, REPLY_SIZE = 1 << 20 };

static void *context, *daemon_socket;
static const char *address;
static char reply[REPLY_SIZE];

static void connect_anew(void) {
    int linger = 0, patience = PATIENCE_MS;
    if (daemon_socket) zmq_close(daemon_socket);
    daemon_socket = zmq_socket(context, ZMQ_REQ);
    zmq_setsockopt(daemon_socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(daemon_socket, ZMQ_RCVTIMEO, &patience, sizeof patience);
    if (zmq_connect(daemon_socket, address) != 0) {
        fprintf(stderr, "bot: %s: %s\n", address, zmq_strerror(zmq_errno()));
        exit(2);
    }
}

/* Sends a request until it is answered; the reply stands in `reply`. */
static void ask(const char *format, ...) {
    char request[1024];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(request, sizeof request, format, values);
    va_end(values);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int size = -1;
        if (zmq_send(daemon_socket, request, (size_t)length, 0) >= 0)
            size = zmq_recv(daemon_socket, reply, sizeof reply - 1, 0);
        if (size >= 0) {
            reply[size < REPLY_SIZE ? size : REPLY_SIZE - 1] = '\0';
            return;
        }
        connect_anew(); /* a REQ socket that got no reply takes no other request */
    }
    fprintf(stderr, "bot: %s: nobody answers\n", address);
    exit(2);
}

/* Whether the last request was refused in a way that asking on mends; ends the bot otherwise. */
static int refused(void) {
    static const char *const passing[] = {"stale-ply", "not-your-turn", "over", "busy",
                                          "rate-limited"};
    if (reply[0] == '=') return 0;
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        if (strncmp(reply + 2, passing[i], strlen(passing[i])) == 0) {
            usleep(100000);
            return 1;
        }
    }
    fprintf(stderr, "bot: %s\n", reply);
    exit(1);
}

/* Copies the value of rules= from the reply of `state`: a word, or a string in quotes. */
static void read_rules(char *rules, size_t size) {
    const char *start = strstr(reply, " rules=");
    if (!start) {
        fprintf(stderr, "bot: no rules in '%s'\n", reply);
        exit(1);
    }
    start += strlen(" rules=");
    size_t length = *start == '"' ? strcspn(start + 1, "\"") + 2 : strcspn(start, " \n");
    snprintf(rules, size, "%.*s", (int)length, start);
}

/* Copies one of the legal plays, each as likely as the other, from the reply of `legal`. */
static void choose(char *play, size_t size) {
    int place = rand() % atoi(reply + 2);
    const char *line = strchr(reply, '\n') + 1;
    while (place-- > 0) line = strchr(line, '\n') + 1;
    snprintf(play, size, "%.*s", (int)strcspn(line, "\t"), line);
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: bot ADDRESS TABLE TOKEN [SEED]\n");
        return 2;
    }
    address = argv[1];
    const char *table = argv[2], *token = argv[3];
    srand(argc == 5 ? (unsigned)atoi(argv[4]) : 1);
    context = zmq_ctx_new();
    connect_anew();

    char rules[512], position[64], play[256];
    int ply;
    do ask("state %s", table); while (refused());
    read_rules(rules, sizeof rules);
    for (;;) {
        ask("await %s %s timeout=%d", table, token, WAIT_SECONDS);
        if (refused()) continue;
        if (strncmp(reply, "= over ", 7) == 0) break;
        if (sscanf(reply, "= play %d %63s", &ply, position) == 2) {
            ask("legal %s rules=%s", position, rules);
            if (refused()) continue;
            choose(play, sizeof play);
            ask("play %s %s %s ply=%d", table, token, play, ply);
            refused();
        } else if (sscanf(reply, "= name %d", &ply) == 1) {
            ask("name %s %s %d ply=%d", table, token, rand() % 6 + 1, ply);
            refused();
        }
    }
    puts(reply + 2);
    zmq_close(daemon_socket);
    zmq_ctx_term(context);
    return 0;
}
