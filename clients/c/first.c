#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

static char reply[1 << 20];

static int ask(void *daemon, const char *format, ...) { /* one request, one reply */
    char request[512];
    va_list values;
    va_start(values, format);
    int size = vsnprintf(request, sizeof request, format, values);
    va_end(values);
    zmq_send(daemon, request, size, 0);
    size = zmq_recv(daemon, reply, sizeof reply - 1, 0);
    reply[size < 0 ? 0 : size] = '\0';
    return reply[0] == '=';
}

int main(int argc, char **argv) { /* first ADDRESS TABLE TOKEN */
    if (argc != 4) return 2;
    const char *table = argv[2], *token = argv[3];
    void *daemon = zmq_socket(zmq_ctx_new(), ZMQ_REQ);
    zmq_connect(daemon, argv[1]);
    int ply, good;
    char position[64], play[128];
    while ((good = ask(daemon, "await %s %s", table, token)) && strncmp(reply, "= over", 6)) {
        if (sscanf(reply, "= play %d %63s", &ply, position) == 2) {
            ask(daemon, "legal %s", position);
            sscanf(reply, "= %*d %127[^\t]", play); /* the first of the legal plays */
            ask(daemon, "play %s %s %s ply=%d", table, token, play, ply);
        } else if (sscanf(reply, "= name %d", &ply) == 1) {
            ask(daemon, "name %s %s 6 ply=%d", table, token, ply);
        }
    }
    puts(reply);
    return !good;
}
