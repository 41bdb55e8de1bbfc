"""Layers of neural networks that do not fit."""

import rose
from rose import Bool, Real, Vec, fn, nn

IMAGES, KERNEL = Vec[2, 5, 5, 3], Vec[3, 3, 3, 4]


def a_convolution_of_an_image_without_channels():
    return fn([Vec[2, 5, 5], KERNEL], Real)(lambda x, w: nn.conv2d(x, w))


def a_kernel_of_other_channels():
    return fn([IMAGES, Vec[3, 3, 2, 4]], Real)(lambda x, w: nn.conv2d(x, w))


def a_kernel_of_fewer_axes():
    return fn([IMAGES, Vec[3, 3, 4]], Real)(lambda x, w: nn.conv2d(x, w))


def a_kernel_longer_than_the_image():
    return fn([Vec[2, 5, 2, 3], KERNEL], Real)(lambda x, w: nn.conv2d(x, w))


def a_stride_of_zero():
    return fn([IMAGES, KERNEL], Real)(lambda x, w: nn.conv2d(x, w, stride=0))


def three_strides_for_two_axes():
    return fn([IMAGES, KERNEL], Real)(lambda x, w: nn.conv2d(x, w, stride=(1, 2, 1)))


def a_padding_of_another_name():
    return fn([IMAGES, KERNEL], Real)(lambda x, w: nn.conv2d(x, w, padding="full"))


def a_padding_of_one_pair():
    return fn([IMAGES, KERNEL], Real)(lambda x, w: nn.conv2d(x, w, padding=(1, 1)))


def a_padding_below_zero():
    return fn([IMAGES, KERNEL], Real)(lambda x, w: nn.conv_transpose(x, w, padding=[(-1, 0), (0, 0)]))


def a_stride_along_an_axis_of_any_size():
    n = rose.dim("n")
    f = fn([Vec[1, n, 1]], Vec[1, n, 1])(lambda x: nn.max_pool(x, 2))
    return rose.compile(f, dynamic=True)


def a_pool_of_a_vector():
    return fn([Vec[5]], Real)(lambda x: nn.max_pool(x, 2))


def a_window_of_no_integer():
    return fn([IMAGES], Real)(lambda x: nn.avg_pool(x, 2.5))


def a_recurrent_layer_of_a_vector():
    return fn([Vec[3], Vec[3, 8], Vec[2, 8]], Vec[2])(lambda x, w, u: nn.lstm(x, w, u).h)


def a_recurrent_layer_with_the_kernels_of_another():
    return fn([Vec[4, 3], Vec[3, 8], Vec[2, 8]], Vec[2])(lambda x, w, u: nn.gru(x, w, u).h)


def a_recurrent_layer_from_a_state_of_another_shape():
    return fn([Vec[4, 3], Vec[3, 8], Vec[2, 8]], Vec[2])(lambda x, w, u: nn.lstm(x, w, u, h=[1.0, 2.0, 3.0]).h)


def a_dropout_of_everything():
    return fn([Vec[4], Vec[4]], Vec[4])(lambda x, draws: nn.dropout(x, 1.0, draws))


def a_dropout_of_a_traced_rate():
    return fn([Vec[4], Vec[4], Real], Vec[4])(lambda x, draws, rate: nn.dropout(x, rate, draws))


def labels_of_another_shape():
    return fn([Vec[4, 3], Vec[4]], Real)(lambda x, y: nn.cross_entropy(x, y))


def keys_of_another_length():
    return fn([Vec[4, 3], Vec[4, 2]], Real)(lambda q, k: nn.attention(q, k, k))


def a_mask_of_numbers():
    return fn([Vec[4, 3], Vec[4, 4]], Real)(lambda q, mask: nn.attention(q, q, q, mask))


def attention_to_a_vector():
    return fn([Vec[3]], Real)(lambda q: nn.attention(q, q, q))


def a_dense_layer_of_another_length():
    return fn([Vec[3], Vec[2, 4]], Real)(lambda x, w: nn.dense(x, w))


def the_gelu_of_truths():
    return fn([Vec[3, Bool]], Real)(lambda x: nn.gelu(x))


def an_image_made_larger_by_a_half():
    return fn([IMAGES], Real)(lambda x: nn.upsample(x, 1.5))
